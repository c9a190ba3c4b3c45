package dev.weir.eval.dataset;

import dev.weir.model.ConfigurationException;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Says in a user's words why a file that was named cannot be read. */
public final class InputFile {

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

  public static ConfigurationException unreadable(Path file, IOException cause) {
    return switch (cause) {
      case NoSuchFileException _ ->
          new ConfigurationException("%s: there is no such file".formatted(file), cause);
      case CharacterCodingException _ ->
          new ConfigurationException(
              "%s cannot be read: it is not UTF-8 text; convert it and try again".formatted(file),
              cause);
      case AccessDeniedException _ ->
          new ConfigurationException(
              "%s cannot be read: access to it is denied".formatted(file), cause);
      default -> new ConfigurationException("%s cannot be read: %s".formatted(file, cause), cause);
    };
  }
}
