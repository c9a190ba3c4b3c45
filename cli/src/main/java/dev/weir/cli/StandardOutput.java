package dev.weir.cli;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Remembers that something could not be written, which writers for people only pass over. Not
 * thread-safe but for its problem.
 */
final class StandardOutput extends FilterOutputStream {

  private volatile @Nullable IOException first;

  StandardOutput(OutputStream stream) {
    super(stream);
  }

  @Override
  public void write(int one) throws IOException {
    write(new byte[] {(byte) one}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    try {
      out.write(bytes, offset, length);
    } catch (IOException unwritable) {
      throw kept(unwritable);
    }
  }

  @Override
  public void flush() throws IOException {
    try {
      out.flush();
    } catch (IOException unwritable) {
      throw kept(unwritable);
    }
  }

  private IOException kept(IOException unwritable) {
    first = first == null ? unwritable : first;
    return unwritable;
  }

  /** Why something is missing from it. Who has read enough, as head does, misses nothing. */
  Optional<String> problem() {
    return Optional.ofNullable(first)
        .map(unwritable -> String.valueOf(unwritable.getMessage()))
        .filter(why -> !why.contains("Broken pipe"));
  }
}
