package dev.weir.model.engine;

import dev.weir.model.ConfigurationException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Reads what is confidential. */
final class SecretFile {

  /** A mounted secret has at most 1 MiB. */
  private static final int LARGEST = 1 << 20;

  private SecretFile() {}

  /**
   * @param source the file, for people. Not its path, where that comes from a variable: somebody
   *     may have put the secret itself there
   * @throws ConfigurationException if it cannot be read; it repeats nothing of what the file holds
   */
  static String text(String source, Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(LARGEST + 1);
      if (bytes.length > LARGEST) {
        throw new ConfigurationException(
            "%s is larger than %d KiB".formatted(source, LARGEST >> 10));
      }
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (NoSuchFileException missing) {
      // Without its cause, whose message is the path.
      throw new ConfigurationException(source + " does not exist");
    } catch (CharacterCodingException binary) {
      throw new ConfigurationException(source + " is not UTF-8 text");
    } catch (IOException unreadable) {
      throw new ConfigurationException(
          "%s cannot be read (%s)".formatted(source, unreadable.getClass().getSimpleName()));
    }
  }
}
