package dev.weir.log.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * A disk that fails as it is told. It knows what was forced; the rest may or may not survive. One
 * that has crashed keeps what it had, and fails for ever.
 */
final class FaultyFile implements JournalFile {

  private byte[] content = new byte[1 << 16];
  private int size;
  private int forcedSize;
  private long bytesWritten;
  private int operations;
  private boolean hasCrashed;

  /** After so many bytes, or before that operation, the machine stops. */
  long crashAfterBytes = Long.MAX_VALUE;

  int crashBeforeOperation = Integer.MAX_VALUE;

  long capacity = Long.MAX_VALUE;
  int mostAtOnce = Integer.MAX_VALUE;
  int forcesToFail;
  boolean losesUnforcedWhenForceFails;
  boolean isGone;
  Runnable duringForce = () -> {};

  int forces;
  int truncations;
  boolean isClosed;

  /** How much of the file was durable after each force. */
  final List<Integer> forcedSizes = new ArrayList<>();

  @Override
  public int write(ByteBuffer from, long at) throws IOException {
    operation();
    int count = Math.min(from.remaining(), mostAtOnce);
    count = (int) Math.min(count, Math.max(0, capacity - at));
    if (count == 0) {
      throw new IOException("No space left on device");
    }
    count = (int) Math.min(count, crashAfterBytes - bytesWritten);
    int end = (int) at + count;
    content = end > content.length ? Arrays.copyOf(content, 2 * end) : content;
    from.get(content, (int) at, count);
    size = Math.max(size, end);
    bytesWritten += count;
    if (bytesWritten == crashAfterBytes) {
      hasCrashed = true;
      throw new IOException("crashed");
    }
    return count;
  }

  @Override
  public void force() throws IOException {
    operation();
    duringForce.run();
    if (forcesToFail > 0) {
      forcesToFail--;
      if (losesUnforcedWhenForceFails) {
        Arrays.fill(content, forcedSize, size, (byte) 0);
      }
      throw new IOException("Input/output error");
    }
    forces++;
    forcedSize = size;
    forcedSizes.add(size);
  }

  @Override
  public void truncate(long to) throws IOException {
    operation();
    truncations++;
    size = (int) Math.min(size, to);
    forcedSize = Math.min(forcedSize, size);
  }

  @Override
  public void keepInPlace(long size) throws IOException {
    operation();
    if (isGone) {
      throw new IOException("the file is gone");
    }
  }

  @Override
  public boolean isInPlace() {
    return !isGone;
  }

  private void operation() throws IOException {
    operations++;
    if (hasCrashed || operations > crashBeforeOperation) {
      hasCrashed = true;
      throw new IOException("crashed");
    }
  }

  @Override
  public void close() {
    isClosed = true;
  }

  int operations() {
    return operations;
  }

  byte[] content() {
    return Arrays.copyOf(content, size);
  }

  /** What a loss of power may leave: of the bytes that were not forced, some, or zeros. */
  byte[] contentAfterPowerLoss(RandomGenerator random) {
    byte[] left = Arrays.copyOf(content, forcedSize + random.nextInt(size - forcedSize + 1));
    for (int at = forcedSize; at < left.length; at++) {
      if (random.nextInt(3) == 0) {
        int end = Math.min(left.length, at + 1 + random.nextInt(64));
        Arrays.fill(left, at, end, (byte) 0);
        at = end;
      }
      at += random.nextInt(64);
    }
    return left;
  }

  void saveTo(Path file) throws IOException {
    Files.write(file, content());
  }
}
