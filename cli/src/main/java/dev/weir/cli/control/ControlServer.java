package dev.weir.cli.control;

import dev.weir.eval.EvaluationControl;
import dev.weir.time.Task;
import dev.weir.time.Time;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Lets other processes of the same user look at an evaluation and change it: a socket in a
 * directory that only they can open. Thread-safe; for the system's clock, since sockets know no
 * other.
 */
public final class ControlServer implements AutoCloseable {

  /** Set to {@code off}, nobody can reach the run. */
  public static final String VARIABLE = "WEIR_CTL";

  private static final Duration LONGEST_CONNECTION = Duration.ofSeconds(10);
  private static final Duration LAST_REPLY = Duration.ofSeconds(1);
  private static final int MOST_CONNECTIONS = 16;

  private final Time time;
  private final ControlCommands commands;
  private final ServerSocketChannel channel;
  private final Path socket;
  private final AtomicLong connections = new AtomicLong();
  private final Set<Task<?>> open = ConcurrentHashMap.newKeySet();

  private ControlServer(
      Time time, ControlCommands commands, ServerSocketChannel channel, Path socket) {
    this.time = time;
    this.commands = commands;
    this.channel = channel;
    this.socket = socket;
  }

  /**
   * Listens until it is closed.
   *
   * @param environment says where, see docs/ctl.md
   * @throws IOException if it can listen nowhere; the reasons are in its message
   */
  public static ControlServer open(
      Time time, Map<String, String> environment, EvaluationControl evaluation) throws IOException {
    IOException problem = new IOException("there is no place for a socket");
    List<ControlDirectory> candidates = ControlDirectory.candidates(environment);
    for (ControlDirectory directory : candidates) {
      try {
        return open(time, directory, evaluation);
      } catch (IOException | UnsupportedOperationException unusable) {
        problem =
            new IOException("%s: %s".formatted(directory.path(), unusable.getMessage()), unusable);
      }
    }
    throw problem;
  }

  private static ControlServer open(
      Time time, ControlDirectory directory, EvaluationControl evaluation) throws IOException {
    directory.prepare();
    new ControlClient(time).removeStale(directory);
    long pid = ProcessHandle.current().pid();
    Path socket = directory.socket(pid, evaluation.id());
    ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      channel.bind(UnixDomainSocketAddress.of(socket));
      Files.setPosixFilePermissions(socket, ControlDirectory.SOCKET_OF_OWNER);
      if (!directory.isOwn(socket)) {
        Files.deleteIfExists(socket);
        throw new IOException("the directory belongs to somebody else");
      }
    } catch (IOException unusable) {
      channel.close();
      throw unusable;
    }
    var server = new ControlServer(time, new ControlCommands(evaluation, pid), channel, socket);
    var _ = time.start("control", server::listen);
    return server;
  }

  /** Where it listens. */
  Path socket() {
    return socket;
  }

  private void listen() {
    while (channel.isOpen()) {
      try {
        serve(channel.accept());
      } catch (IOException closed) {
        // It is closed, or one connection failed before it began.
      }
    }
  }

  private void serve(SocketChannel connection) throws IOException {
    open.removeIf(Task::isDone);
    if (open.size() >= MOST_CONNECTIONS) {
      connection.close();
      return;
    }
    String name = "control-" + connections.incrementAndGet();
    Task<?> task = time.start(name, () -> answer(connection));
    open.add(task);
  }

  private void answer(SocketChannel connection) {
    try {
      var _ =
          ControlWire.within(
              time,
              LONGEST_CONNECTION,
              connection,
              channel -> {
                ControlWire.writeLine(channel, commands.reply(read(channel)));
                return true;
              });
    } catch (IOException gone) {
      // Whoever asked is gone, or did not ask.
    }
  }

  private static String read(SocketChannel channel) throws IOException {
    try {
      return ControlWire.readLine(channel, ControlWire.LONGEST_REQUEST);
    } catch (ControlWire.LineTooLongException tooLong) {
      // Told in the reply, like all that is no request.
      return "";
    }
  }

  @Override
  public void close() {
    try {
      channel.close();
      Files.deleteIfExists(socket);
    } catch (IOException left) {
      // Removed as stale by whoever looks next.
    }
    long deadline = time.after(LAST_REPLY);
    for (Task<?> task : open) {
      try {
        task.join(deadline);
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }
}
