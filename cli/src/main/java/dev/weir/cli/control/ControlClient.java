package dev.weir.cli.control;

import dev.weir.time.Task;
import dev.weir.time.Time;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Asks evaluations that run. For the system's clock, since sockets know no other. */
public final class ControlClient {

  private static final Duration LONGEST_CONNECTION = Duration.ofSeconds(15);

  /** Whether somebody answers at all. */
  private static final Duration SHORT_ANSWER = Duration.ofSeconds(2);

  private final Time time;

  public ControlClient(Time time) {
    this.time = time;
  }

  /**
   * The sockets of evaluations of this user that listen; those of processes that have died are
   * removed.
   *
   * @param environment says where they are, see docs/ctl.md
   */
  public List<Path> sockets(Map<String, String> environment) throws IOException {
    List<Path> listening = new ArrayList<>();
    for (ControlDirectory directory : ControlDirectory.candidates(environment)) {
      listening.addAll(listening(directory));
    }
    return listening;
  }

  /**
   * One JSON document there, one back.
   *
   * @throws IOException if nobody listens, or there is no answer in time
   */
  public String ask(Path socket, String request) throws IOException {
    return ask(socket, request, LONGEST_CONNECTION);
  }

  /**
   * Asks all of them at once what is answered at once.
   *
   * @return their answers in the order of the sockets; absent from those that have ended, or do not
   *     answer within two seconds
   */
  public List<Optional<String>> askAll(List<Path> sockets, String request) {
    List<Task<Optional<String>>> asked =
        sockets.stream()
            .map(socket -> time.start("ask", () -> askShortly(socket, request)))
            .toList();
    List<Optional<String>> answers = new ArrayList<>();
    for (Task<Optional<String>> one : asked) {
      try {
        answers.add(one.join());
      } catch (InterruptedException ended) {
        Thread.currentThread().interrupt();
        answers.add(Optional.empty());
      }
    }
    return answers;
  }

  private Optional<String> askShortly(Path socket, String request) {
    try {
      return Optional.of(ask(socket, request, SHORT_ANSWER));
    } catch (IOException unanswered) {
      return Optional.empty();
    }
  }

  private String ask(Path socket, String request, Duration longest) throws IOException {
    return ControlWire.within(
        time,
        longest,
        SocketChannel.open(StandardProtocolFamily.UNIX),
        channel -> {
          // Within the time: a process that is stopped accepts nobody, and its queue may be full.
          channel.connect(UnixDomainSocketAddress.of(socket));
          ControlWire.writeLine(channel, request);
          return ControlWire.readLine(channel, ControlWire.LONGEST_REPLY);
        });
  }

  void removeStale(ControlDirectory directory) throws IOException {
    var _ = listening(directory);
  }

  private static List<Path> listening(ControlDirectory directory) throws IOException {
    List<Path> listening = new ArrayList<>();
    for (Path socket : directory.sockets()) {
      try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
        // Without waiting: whoever listens may be stopped for hours.
        channel.configureBlocking(false);
        boolean _ = channel.connect(UnixDomainSocketAddress.of(socket));
        listening.add(socket);
      } catch (ConnectException nobody) {
        ControlDirectory.removeStale(socket);
      } catch (IOException busyOrGone) {
        // Its queue is full; or it has ended just now, and its file with it.
        if (Files.exists(socket)) {
          listening.add(socket);
        }
      }
    }
    return listening;
  }
}
