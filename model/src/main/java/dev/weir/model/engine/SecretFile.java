package dev.weir.model.engine;

import dev.weir.model.ConfigurationException;
import dev.weir.model.PathSpelling;
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
   * @param source what names the file, for people
   * @throws ConfigurationException if it cannot be read; it repeats nothing of what the file holds
   */
  static String text(String source, Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(LARGEST + 1);
      if (bytes.length > LARGEST) {
        throw new ConfigurationException(
            "%s: %s is larger than %d KiB".formatted(source, file, LARGEST >> 10));
      }
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (NoSuchFileException missing) {
      throw new ConfigurationException(
          "%s: there is no file %s%s".formatted(source, file, PathSpelling.hint(file)), missing);
    } catch (CharacterCodingException binary) {
      throw new ConfigurationException("%s: %s is not UTF-8 text".formatted(source, file));
    } catch (IOException unreadable) {
      throw new ConfigurationException(
          "%s: %s cannot be read (%s)"
              .formatted(source, file, unreadable.getClass().getSimpleName()),
          unreadable);
    }
  }
}
