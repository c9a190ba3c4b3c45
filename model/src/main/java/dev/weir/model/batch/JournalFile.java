package dev.weir.model.batch;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.zip.CRC32;

/**
 * A file of lines that outlives its process: each line is on the disk when {@link #append} returns,
 * and carries a checksum. A line that was torn by the end of the process is cut off.
 *
 * <p>Locked for as long as it is open; the lock ends with the process, however that ends. It is
 * emptied and never deleted: a file that somebody else has just opened must not vanish under him.
 * Not thread-safe.
 */
final class JournalFile implements AutoCloseable {

  private static final int CHECKSUM_LENGTH = 8;

  /** Room for millions of requests; more is not one of ours. */
  private static final long LARGEST = 512L << 20;

  // Not a FileChannel: that would be closed for all by the interrupt of one task that writes.
  private final RandomAccessFile file;

  private final Path path;

  private JournalFile(Path path, RandomAccessFile file) {
    this.path = path;
    this.file = file;
  }

  /**
   * A line that is not as it was written.
   *
   * @param number from 1
   * @param text where a payload would be
   */
  record Damage(int number, String text) {}

  Path path() {
    return path;
  }

  /**
   * @return nothing if another run has it open
   */
  static Optional<JournalFile> open(Path path) throws IOException {
    var file = new RandomAccessFile(path.toFile(), "rw");
    boolean locked = false;
    try {
      locked = file.getChannel().tryLock() != null;
      return locked ? Optional.of(new JournalFile(path, file)) : Optional.empty();
    } catch (OverlappingFileLockException byThisProcess) {
      return Optional.empty();
    } finally {
      if (!locked) {
        file.close();
      }
    }
  }

  /**
   * Reads all lines that are whole, and prepares to write after the last of them.
   *
   * @return those that end in a line break, and yet are not whole: no end of a process does that
   */
  List<Damage> read(Consumer<String> line) throws IOException {
    if (file.length() > LARGEST) {
      throw new IOException("it is larger than %d MiB".formatted(LARGEST >> 20));
    }
    byte[] bytes = new byte[(int) file.length()];
    file.seek(0);
    file.readFully(bytes);
    List<Damage> damages = new ArrayList<>();
    int start = 0;
    int number = 0;
    for (int i = 0; i < bytes.length; i++) {
      if (bytes[i] == '\n') {
        number++;
        String text = new String(bytes, start, i - start, StandardCharsets.ISO_8859_1);
        Optional<String> payload = payload(text);
        if (payload.isPresent()) {
          line.accept(payload.get());
        } else {
          damages.add(
              new Damage(number, text.substring(Math.min(text.length(), CHECKSUM_LENGTH + 1))));
        }
        start = i + 1;
      }
    }
    // What has no line break was being written when the process ended.
    cut(start);
    return damages;
  }

  /**
   * @param payload printable ASCII
   */
  void append(String payload) throws IOException {
    long start = file.getFilePointer();
    try {
      file.write(line(payload).getBytes(StandardCharsets.ISO_8859_1));
      file.getFD().sync();
    } catch (IOException failed) {
      // Half a line would spoil the next one.
      cut(start);
      throw failed;
    }
  }

  void clear() throws IOException {
    cut(0);
    file.getFD().sync();
  }

  @Override
  public void close() throws IOException {
    file.close();
  }

  static String line(String payload) {
    return checksum(payload) + " " + payload + "\n";
  }

  private void cut(long length) throws IOException {
    file.setLength(length);
    file.seek(length);
  }

  private static Optional<String> payload(String line) {
    if (line.length() <= CHECKSUM_LENGTH || line.charAt(CHECKSUM_LENGTH) != ' ') {
      return Optional.empty();
    }
    String payload = line.substring(CHECKSUM_LENGTH + 1);
    return line.startsWith(checksum(payload)) ? Optional.of(payload) : Optional.empty();
  }

  private static String checksum(String payload) {
    var crc = new CRC32();
    crc.update(payload.getBytes(StandardCharsets.ISO_8859_1));
    return String.format(Locale.ROOT, "%08x", crc.getValue());
  }
}
