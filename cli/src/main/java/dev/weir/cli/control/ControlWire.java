package dev.weir.cli.control;

import dev.weir.time.Completion;
import dev.weir.time.Time;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** One line of JSON there, one line back, within a time; as docs/ctl.md tells. */
final class ControlWire {

  /** Both sides say which version of the protocol they speak. */
  static final int VERSION = 1;

  static final String VERSION_FIELD = "weir_ctl";

  static final int LONGEST_REQUEST = 64 << 10;
  static final int LONGEST_REPLY = 4 << 20;

  private ControlWire() {}

  /** What is done with a connection. */
  interface Use<T> {
    T with(SocketChannel channel) throws IOException;
  }

  /**
   * Uses a connection, and closes it: at the latest when the time is up, wherever its use is then.
   */
  static <T> T within(Time time, Duration limit, SocketChannel channel, Use<T> use)
      throws IOException {
    var over = new Completion<Boolean>(time, "the end of a connection");
    var _ =
        time.start(
            "control-timeout",
            () -> {
              if (!over.await(time.after(limit))) {
                channel.close();
              }
            });
    try (channel) {
      return use.with(channel);
    } finally {
      over.complete(true);
    }
  }

  /**
   * @throws LineTooLongException if it is longer than that
   * @throws IOException if there is no whole line
   */
  static String readLine(SocketChannel channel, int longest) throws IOException {
    var line = new ByteArrayOutputStream();
    ByteBuffer buffer = ByteBuffer.allocate(8 << 10);
    while (channel.read(buffer.clear()) >= 0) {
      buffer.flip();
      while (buffer.hasRemaining()) {
        byte next = buffer.get();
        if (next == '\n') {
          return line.toString(StandardCharsets.UTF_8);
        }
        if (line.size() == longest) {
          throw new LineTooLongException(longest);
        }
        line.write(next);
      }
    }
    throw new IOException("the connection ended in the middle of a line");
  }

  static void writeLine(SocketChannel channel, String line) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8));
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  static final class LineTooLongException extends IOException {

    private static final long serialVersionUID = 1L;

    LineTooLongException(int longest) {
      super("a line may have %d bytes at most".formatted(longest));
    }
  }
}
