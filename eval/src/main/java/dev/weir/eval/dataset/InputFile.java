package dev.weir.eval.dataset;

import dev.weir.model.ConfigurationException;
import dev.weir.model.PathSpelling;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Says in a user's words why a file that was named cannot be read. */
public final class InputFile {

  private static final int BUFFER = 1 << 16;
  private static final long LARGEST_TEXT = 64L << 20;

  private InputFile() {}

  /**
   * @param what what the file should be, for people: {@code "a dataset"}
   * @throws ConfigurationException if the path names no file, or a directory
   */
  public static void requireFile(Path file, String what) {
    if (file.toString().isBlank()) {
      throw new ConfigurationException("the path of %s is empty; name a file".formatted(what));
    }
    if (Files.isDirectory(file)) {
      throw new ConfigurationException(
          "%s is a directory; %s must be a file".formatted(file, what));
    }
  }

  /**
   * What a file of settings holds.
   *
   * @throws ConfigurationException if it cannot be read, is not UTF-8 or larger than any such file
   */
  public static String text(Path file) {
    try {
      if (Files.size(file) > LARGEST_TEXT) {
        throw new ConfigurationException(
            "%s is larger than %d MB, too large to be read at once; keep samples in a dataset file"
                .formatted(file, LARGEST_TEXT >> 20));
      }
      return Files.readString(file);
    } catch (IOException unreadable) {
      throw unreadable(file, unreadable);
    }
  }

  public static ConfigurationException unreadable(Path file, IOException cause) {
    return switch (cause) {
      case NoSuchFileException _ ->
          new ConfigurationException(
              "%s: there is no such file%s".formatted(file, PathSpelling.hint(file)), cause);
      case CharacterCodingException _ ->
          new ConfigurationException(
              "%s%s: this is not UTF-8 text; save or convert it as UTF-8"
                  .formatted(file, notUtf8(file)),
              cause);
      case AccessDeniedException _ ->
          new ConfigurationException(
              "%s cannot be read: access to it is denied".formatted(file), cause);
      default -> new ConfigurationException("%s cannot be read: %s".formatted(file, cause), cause);
    };
  }

  /** Where the first byte is that is no part of a letter; columns count bytes. */
  private static String notUtf8(Path file) {
    var decoder = StandardCharsets.UTF_8.newDecoder();
    var bytes = ByteBuffer.allocate(BUFFER);
    var letters = CharBuffer.allocate(BUFFER);
    long line = 1;
    long column = 1;
    try (InputStream content = Files.newInputStream(file)) {
      while (true) {
        int count = content.read(bytes.array(), bytes.position(), bytes.remaining());
        bytes.limit(bytes.position() + Math.max(0, count)).position(0);
        CoderResult result = decoder.decode(bytes, letters.clear(), count < 0);
        for (int i = 0; i < bytes.position(); i++) {
          boolean ends = bytes.get(i) == '\n';
          line += ends ? 1 : 0;
          column = ends ? 1 : column + 1;
        }
        if (result.isError()) {
          return ", line %d, column %d".formatted(line, column);
        }
        if (count < 0) {
          return "";
        }
        bytes.compact();
      }
    } catch (IOException gone) {
      return "";
    }
  }
}
