package dev.weir.log.journal;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
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
  private final Path directory;
  private final JournalLock lock;
  private FileChannel channel;
  // What tells a file from another of the same name; null where the system has no such thing.
  private @Nullable Object identity;
  private boolean wasMissed;

  private ChannelFile(Path file, Path directory, JournalLock lock, FileChannel channel)
      throws IOException {
    this.file = file;
    this.directory = directory;
    this.lock = lock;
    this.channel = channel;
    this.identity = identity(file);
  }

  /**
   * @throws java.nio.file.FileAlreadyExistsException if there is one
   */
  static ChannelFile create(Path file, Path directory, JournalLock lock) throws IOException {
    FileChannel channel = FileChannel.open(file, CREATE_NEW, READ, WRITE);
    try {
      var created = new ChannelFile(file, directory, lock, channel);
      forceDirectory(directory);
      return created;
    } catch (IOException | RuntimeException failed) {
      channel.close();
      throw failed;
    }
  }

  /** Makes the name of a new file as durable as its bytes, where the system allows it. */
  private static void forceDirectory(Path directory) {
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
  public void keepInPlace(long size) throws IOException {
    try {
      if (!Objects.equals(identity(file), identity)) {
        throw new IOException(
            file + " is another file now: the journal was replaced. Move that one away");
      }
      wasMissed = false;
    } catch (NoSuchFileException gone) {
      if (!wasMissed) {
        wasMissed = true;
        throw new IOException(
            file + " is gone: it, or its directory, was deleted or moved. It is made anew", gone);
      }
      restore(size);
    }
  }

  @Override
  public boolean isInPlace() {
    try {
      return Objects.equals(identity(file), identity);
    } catch (IOException gone) {
      return false;
    }
  }

  /** Of a deleted file, everything can be read as long as it is open. */
  private void restore(long size) throws IOException {
    Files.createDirectories(directory);
    lock.renew();
    Path copy = directory.resolve(file.getFileName() + ".new");
    FileChannel restored = FileChannel.open(copy, CREATE, TRUNCATE_EXISTING, READ, WRITE);
    try {
      for (long done = 0; done < size; ) {
        long count = channel.transferTo(done, size - done, restored);
        if (count <= 0) {
          throw new IOException(file + " is gone, and cannot be read any more");
        }
        done += count;
      }
      restored.force(true);
      // Without replacing: what is there is not ours.
      Files.move(copy, file);
      forceDirectory(directory);
      identity = identity(file);
    } catch (IOException | RuntimeException failed) {
      restored.close();
      throw failed;
    }
    channel.close();
    channel = restored;
    wasMissed = false;
  }

  private static @Nullable Object identity(Path file) throws IOException {
    return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
