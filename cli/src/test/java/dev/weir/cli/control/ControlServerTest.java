package dev.weir.cli.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import dev.weir.eval.Evaluation;
import dev.weir.eval.Host;
import dev.weir.eval.dataset.Sample;
import dev.weir.eval.option.Settings;
import dev.weir.eval.scorer.Scorers;
import dev.weir.eval.solver.Solvers;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.time.Time;
import java.io.IOException;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The socket itself; nothing runs behind it. */
class ControlServerTest {

  private static final Time TIME = Time.system();

  @TempDir Path directory;

  private Path sockets() {
    return directory.resolve("run");
  }

  private Map<String, String> environment() {
    return Map.of("WEIR_CTL_DIR", sockets().toString());
  }

  private Evaluation evaluation() {
    TaskDefinition task =
        TaskDefinition.named("questions")
            .dataset(new Sample("s1", "Question?", "answer"))
            .solver(Solvers.generate())
            .scorer(Scorers.includes())
            .build();
    return Evaluation.prepare(
        TIME,
        List.of(task),
        Settings.NONE.with("model", "sim/x").with("log_dir", directory.resolve("logs")),
        new Host(Map.of(), Optional.empty(), (_, _) -> {}));
  }

  private ControlServer open() throws Exception {
    return ControlServer.open(TIME, environment(), evaluation().control());
  }

  private static String ask(ControlServer server, String request) throws Exception {
    return new ControlClient(TIME).ask(server.socket(), request);
  }

  @Test
  void onlyTheUserCanOpenTheDirectoryAndTheSocket() throws Exception {
    try (ControlServer server = open()) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(sockets())))
          .isEqualTo("rwx------");
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(server.socket())))
          .isEqualTo("rw-------");
      assertThat(server.socket().getFileName().toString())
          .startsWith(ProcessHandle.current().pid() + "-");
    }
  }

  /** As after Ctrl+Z, when many commands have looked for it: no run may wait for that. */
  @Test
  @Timeout(10)
  void aStoppedProcessWithAFullQueueHoldsUpNobody() throws Exception {
    Files.createDirectory(
        sockets(),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    Path socket = sockets().resolve(ProcessHandle.current().pid() + "-stopped.sock");
    var address = UnixDomainSocketAddress.of(socket);
    List<SocketChannel> queue = new ArrayList<>();
    try (var stopped = ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(address, 1)) {
      boolean isFull = false;
      while (!isFull) {
        SocketChannel next = SocketChannel.open(StandardProtocolFamily.UNIX);
        queue.add(next);
        next.configureBlocking(false);
        isFull = !isTaken(next, address);
        assertThat(queue).hasSizeLessThan(1_000);
      }
      assertThat(new ControlClient(TIME).sockets(environment())).containsExactly(socket);
      try (ControlServer server = open()) {
        assertThat(ask(server, "{}")).isNotEmpty();
      }
      assertThat(stopped.isOpen()).isTrue();
    } finally {
      for (SocketChannel waiting : queue) {
        waiting.close();
      }
    }
  }

  private static boolean isTaken(SocketChannel next, UnixDomainSocketAddress by)
      throws IOException {
    try {
      return next.connect(by);
    } catch (SocketException full) {
      return false;
    }
  }

  @Test
  void aDirectoryThatOthersCanOpenIsClosedFirst() throws Exception {
    Files.createDirectory(sockets());
    Files.setPosixFilePermissions(sockets(), PosixFilePermissions.fromString("rwxrwxrwx"));
    assertThat(new ControlClient(TIME).sockets(environment())).isEmpty();
    try (ControlServer _ = open()) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(sockets())))
          .isEqualTo("rwx------");
    }
  }

  @Test
  void aLinkOrAFileIsNoDirectory() throws Exception {
    Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
    Files.createSymbolicLink(sockets(), elsewhere);
    assertThatIOException().isThrownBy(this::open).withMessageContaining("only its owner");
    Files.delete(sockets());
    Files.writeString(sockets(), "");
    assertThatIOException().isThrownBy(this::open);
  }

  @Test
  void theSocketGoesWithTheServer() throws Exception {
    ControlServer server = open();
    assertThat(new ControlClient(TIME).sockets(environment())).containsExactly(server.socket());
    server.close();
    assertThat(server.socket()).doesNotExist();
    assertThat(new ControlClient(TIME).sockets(environment())).isEmpty();
  }

  @Test
  void evaluationsOfOneProcessHaveASocketEach() throws Exception {
    try (ControlServer first = open();
        ControlServer second = open()) {
      assertThat(new ControlClient(TIME).sockets(environment()))
          .containsExactlyInAnyOrder(first.socket(), second.socket());
    }
  }

  @Test
  void theSocketOfADeadProcessIsRemovedAndNothingElse() throws Exception {
    try (ControlServer _ = open()) {
      Process dead = new ProcessBuilder("true").start();
      dead.waitFor();
      Path stale = abandoned(dead.pid() + "-abc.sock");
      Path ofTheLiving = abandoned(ProcessHandle.current().pid() + "-abc.sock");
      Path other = Files.writeString(sockets().resolve("notes.txt"), "");
      try (ControlServer second = open()) {
        assertThat(stale).doesNotExist();
        assertThat(ofTheLiving).exists();
        assertThat(other).exists();
        assertThat(new ControlClient(TIME).sockets(environment()))
            .hasSize(2)
            .contains(second.socket());
      }
    }
  }

  /** As a process leaves it that was killed. */
  private Path abandoned(String name) throws Exception {
    Path socket = sockets().resolve(name);
    try (var channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.bind(UnixDomainSocketAddress.of(socket));
    }
    return socket;
  }

  @Test
  void whatIsNoRequestIsToldSo() throws Exception {
    try (ControlServer server = open()) {
      assertThat(ask(server, "hello")).contains("one line with a JSON object");
      assertThat(ask(server, "")).contains("one line with a JSON object");
      assertThat(ask(server, "[1]")).contains("one line with a JSON object");
      assertThat(ask(server, "[".repeat(50_000))).contains("one line with a JSON object");
      assertThat(ask(server, "{\"command\":\"list\"}")).contains("version 1");
      assertThat(ask(server, "{\"weir_ctl\":2,\"command\":\"list\"}")).contains("and not 2");
      assertThat(ask(server, "{\"weir_ctl\":1,\"command\":\"lst\"}")).contains("list");
      assertThat(ask(server, "{\"weir_ctl\":1,\"command\":\"pause\",\"know\":true}"))
          .contains("no field 'know'");
      assertThat(ask(server, "{\"weir_ctl\":1,\"command\":\"pause\",\"now\":\"yes\"}"))
          .contains("`now` must be true or false");
      assertThat(ask(server, "{\"weir_ctl\":1,\"command\":\"cancel-sample\"}"))
          .contains("`sample` is missing");
      assertThat(ask(server, "{\"weir_ctl\":1,\"command\":\"limits\",\"limits\":{\"seed\":\"1\"}}"))
          .contains("no limit 'seed'");
      assertThat(ask(server, "{\"weir_ctl\":1,\"command\":\"list\"}")).contains("\"questions\"");
    }
  }

  @Test
  void aRequestThatIsTooLongIsRefusedAndTheNextIsAnswered() throws Exception {
    try (ControlServer server = open()) {
      assertThat(ask(server, " ".repeat(ControlWire.LONGEST_REQUEST + 1)))
          .contains("65536 bytes at most");
      assertThat(ask(server, "{\"weir_ctl\":1,\"command\":\"list\"}")).contains("result");
    }
  }

  @Test
  void whoSaysNothingKeepsNobodyWaiting() throws Exception {
    try (ControlServer server = open();
        var silent = SocketChannel.open(UnixDomainSocketAddress.of(server.socket()));
        var half = SocketChannel.open(UnixDomainSocketAddress.of(server.socket()))) {
      half.write(ByteBuffer.wrap("{\"weir_ctl\"".getBytes(StandardCharsets.UTF_8)));
      assertThat(ask(server, "{\"weir_ctl\":1,\"command\":\"list\"}")).contains("result");
      assertThat(silent.isOpen()).isTrue();
    }
  }

  @Test
  @Timeout(30)
  void afterAsManyConnectionsAsItServesItAnswersAgain() throws Exception {
    String list = "{\"weir_ctl\":1,\"command\":\"list\"}";
    try (ControlServer server = open()) {
      List<SocketChannel> silent = new ArrayList<>();
      for (int i = 0; i < 16; i++) {
        silent.add(SocketChannel.open(UnixDomainSocketAddress.of(server.socket())));
      }
      assertThatIOException().isThrownBy(() -> ask(server, list));
      for (SocketChannel connection : silent) {
        connection.close();
      }
      String answer = "";
      while (answer.isEmpty()) {
        try {
          answer = ask(server, list);
        } catch (IOException notYet) {
          // The others are about to end.
        }
      }
      assertThat(answer).contains("result");
    }
  }

  @Test
  void aConnectionEndsWhenItsTimeIsUp() throws Exception {
    Path socket = directory.resolve("silent.sock");
    try (var channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.bind(UnixDomainSocketAddress.of(socket));
      // It is accepted by the system, and nobody ever answers.
      assertThatIOException()
          .isThrownBy(
              () ->
                  ControlWire.within(
                      TIME,
                      Duration.ofMillis(50),
                      SocketChannel.open(UnixDomainSocketAddress.of(socket)),
                      asked -> ControlWire.readLine(asked, 10)));
    }
  }

  @Test
  void thePlacesAreThoseOfTheUser() {
    assertThat(ControlDirectory.candidates(Map.of("XDG_RUNTIME_DIR", "/run/user/7", "HOME", "/h")))
        .extracting(ControlDirectory::path)
        .startsWith(Path.of("/run/user/7/weir"), Path.of("/h/.local/state/weir/run"))
        .hasSize(3);
    assertThat(ControlDirectory.candidates(Map.of("WEIR_CTL_DIR", "/x", "HOME", "/h")))
        .extracting(ControlDirectory::path)
        .containsExactly(Path.of("/x"));
  }
}
