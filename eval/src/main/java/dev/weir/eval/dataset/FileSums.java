package dev.weir.eval.dataset;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.CRC32C;

/**
 * Checksums of files that samples bring, wherever they lie. Many samples bring the same file: each
 * is read once, until it changes. Thread-safe.
 */
final class FileSums {

  /** A bound for memory; of more, some are read again. */
  private static final int MOST_KEPT = 10_000;

  private static final int BUFFER_BYTES = 1 << 16;

  private record Sum(long size, FileTime changed, long value) {}

  private final Map<Path, Sum> kept = new ConcurrentHashMap<>();

  /** Size and checksum; a word if it cannot be read, which is told when the sample runs. */
  String of(Path file) {
    try {
      long size = Files.size(file);
      FileTime changed = Files.getLastModifiedTime(file);
      Sum known = kept.get(file);
      if (known == null || known.size != size || !known.changed.equals(changed)) {
        known = new Sum(size, changed, read(file));
        if (kept.size() >= MOST_KEPT) {
          kept.clear();
        }
        kept.put(file, known);
      }
      return known.size + "-" + Long.toHexString(known.value);
    } catch (IOException unreadable) {
      return "unreadable";
    }
  }

  private static long read(Path file) throws IOException {
    var sum = new CRC32C();
    byte[] buffer = new byte[BUFFER_BYTES];
    try (InputStream in = Files.newInputStream(file)) {
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        sum.update(buffer, 0, read);
      }
    }
    return sum.getValue();
  }
}
