package dev.weir.model.cache;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;

/** Files that shape answers, as a part of the key of an answer: another one after each edit. */
public final class FileShape {

  /** A larger one is known by its size and its time: nobody wants to wait until it is read. */
  private static final long LARGEST_READ = 16 << 20;

  private FileShape() {}

  /** A hash of their contents, in this order. */
  public static String of(Collection<Path> files) {
    var parts = new StringBuilder();
    files.forEach(file -> parts.append(one(file)).append('\n'));
    return CacheKey.sha256(parts.toString().getBytes(StandardCharsets.UTF_8));
  }

  private static String one(Path file) {
    try {
      if (Files.isReadable(file) && Files.size(file) <= LARGEST_READ) {
        return CacheKey.sha256(Files.readAllBytes(file));
      }
      // A program need not be readable to be run.
      return Files.size(file) + " " + Files.getLastModifiedTime(file);
    } catch (IOException gone) {
      // Whoever needs the file says what is wrong with it.
      return "";
    }
  }
}
