package dev.weir.log.journal;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A real file. Belongs to the task that writes the journal. */
final class ChannelFile implements JournalFile {

  private final Path file;
  private final FileChannel channel;
  // What tells a file from another of the same name; null where the system has no such thing.
  private final @Nullable Object identity;

  private ChannelFile(Path file, FileChannel channel) throws IOException {
    this.file = file;
    this.channel = channel;
    this.identity = identity(file);
  }

  /**
   * @throws java.nio.file.FileAlreadyExistsException if there is one
   */
  static ChannelFile create(Path file) throws IOException {
    FileChannel channel = FileChannel.open(file, CREATE_NEW, WRITE);
    try {
      return new ChannelFile(file, channel);
    } catch (IOException | RuntimeException failed) {
      channel.close();
      throw failed;
    }
  }

  /** Makes the name of a new file as durable as its bytes, where the system allows it. */
  static void forceDirectory(Path directory) {
    try (FileChannel channel = FileChannel.open(directory, READ)) {
      channel.force(true);
    } catch (IOException notAllowed) {
      // Some systems cannot open a directory; they keep names durable themselves.
    }
  }

  @Override
  public int write(ByteBuffer from, long at) throws IOException {
    return channel.write(from, at);
  }

  @Override
  public void force() throws IOException {
    channel.force(false);
  }

  @Override
  public void truncate(long size) throws IOException {
    channel.truncate(size);
  }

  @Override
  public void requireInPlace() throws IOException {
    Object found;
    try {
      found = identity(file);
    } catch (NoSuchFileException gone) {
      throw new IOException(
          file + " is gone: it, or its directory, was deleted or moved. Put it back", gone);
    }
    if (!Objects.equals(found, identity)) {
      throw new IOException(
          file + " is another file now: the journal was moved or replaced. Put it back");
    }
  }

  private static @Nullable Object identity(Path file) throws IOException {
    return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
