package dev.weir.eval.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.eval.sandbox.SandboxFileException.Reason;
import dev.weir.time.Task;
import dev.weir.time.Time;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What holds for every type of sandbox; each runs it with real processes. */
@Timeout(120)
abstract class SandboxContract {

  static final Time TIME = Time.system();
  private static final Duration SOON = Duration.ofMillis(500);

  @TempDir Path parent;
  @TempDir Path elsewhere;

  private Sandboxes sandboxes;

  abstract SandboxSpec spec();

  /** Where programs are looked for. */
  String path() {
    return System.getenv("PATH");
  }

  @BeforeEach
  void prepare() throws IOException {
    sandboxes = sandboxes(new SandboxCaps(Optional.of(4), Optional.of(4)));
  }

  Sandboxes sandboxes(SandboxCaps caps) {
    return new Sandboxes(
        TIME,
        caps,
        Map.of("PATH", path(), "OPENAI_API_KEY", "key-of-nobody-77", "HOME", "/home/nobody"),
        parent,
        2);
  }

  @AfterEach
  void nothingIsLeft() throws IOException {
    sandboxes.close();
    try (Stream<Path> left = Files.list(parent)) {
      assertThat(left).isEmpty();
    }
    assertThat(sandboxes.gate(spec().type()).inside()).isZero();
    assertThat(sandboxes.subprocesses().inside()).isZero();
  }

  final Sandbox open() throws InterruptedException {
    return open(spec());
  }

  final Sandbox open(SandboxSpec spec) throws InterruptedException {
    return sandboxes.open(spec, SandboxSetup.NONE, Waits.IGNORED);
  }

  final Sandboxes sandboxes() {
    return sandboxes;
  }

  static ExecRequest shell(String line) {
    return ExecRequest.of("sh", "-c", line);
  }

  static Reason reason(ThrowingCallable call) {
    return catchThrowableOfType(SandboxFileException.class, call).reason();
  }

  /** An argument of a process by which it can be found among those of the whole machine. */
  private static String lengthOfASleep() {
    return "9" + Math.floorMod(TIME.freshSeed(), 100_000_000_000L);
  }

  private static long sleepers(String length) {
    return ProcessHandle.allProcesses()
        .filter(
            handle ->
                handle
                    .info()
                    .arguments()
                    .filter(words -> List.of(words).contains(length))
                    .isPresent())
        .count();
  }

  private static void awaitSleepers(String length, int number) throws InterruptedException {
    while (sleepers(length) != number) {
      TIME.sleep(Duration.ofMillis(5));
    }
  }

  /** One below the command, one that is below it no more and has a session of its own. */
  private static String startsTwoSleepers(String length) {
    return "sleep %1$s & (setsid sleep %1$s &) ; ".formatted(length);
  }

  @Test
  void aCommandReadsPrintsComplainsAndReturns() throws Exception {
    try (Sandbox sandbox = open()) {
      ExecResult result =
          sandbox.exec(shell("cat; echo no >&2; exit 3").withStdin("línea\nsecond"));
      assertThat(result).isEqualTo(new ExecResult(3, "línea\nsecond", "no\n", false, false, false));
      assertThat(result.success()).isFalse();
      assertThat(sandbox.exec(ExecRequest.of("echo", "$HOME; *")).stdout()).isEqualTo("$HOME; *\n");
    }
  }

  @Test
  void aCommandThatCannotBeRunHasTheExitCodeOfAShell() throws Exception {
    try (Sandbox sandbox = open()) {
      ExecResult missing = sandbox.exec(ExecRequest.of("no-such-program", "x"));
      assertThat(missing.exitCode()).isEqualTo(127);
      assertThat(missing.stderr()).contains("no-such-program");
      ExecResult nowhere = sandbox.exec(shell("pwd").withWorkingDirectory("nowhere"));
      assertThat(nowhere.exitCode()).isEqualTo(126);
      assertThat(nowhere.stderr()).contains("nowhere");
      ExecResult tooLong = sandbox.exec(ExecRequest.of("echo", "x".repeat(3_000_000)));
      assertThat(tooLong.exitCode()).isEqualTo(126);
      assertThat(tooLong.stderr()).contains("too long");
    }
  }

  @Test
  void commandsRunInTheWorkingDirectoryOrWhereTheySay() throws Exception {
    try (Sandbox sandbox = open()) {
      assertThat(sandbox.exec(shell("mkdir -p a/b && pwd")).stdout().strip())
          .isEqualTo(sandbox.workingDirectory());
      assertThat(sandbox.exec(shell("pwd").withWorkingDirectory("a/b")).stdout().strip())
          .isEqualTo(sandbox.workingDirectory() + "/a/b");
      assertThat(sandbox.exec(shell("pwd").withWorkingDirectory("/")).stdout().strip())
          .isEqualTo("/");
    }
  }

  @Test
  void commandsHaveTheVariablesTheyAreGivenAndNoCredential() throws Exception {
    SandboxSpec spec = spec().withEnvironment(Map.of("ONE", "1", "TWO", "2"));
    try (Sandbox sandbox = open(spec)) {
      String variables =
          sandbox
              .exec(ExecRequest.of("env").withEnvironment(Map.of("TWO", "two words", "X", "=")))
              .stdout();
      assertThat(variables.lines()).contains("ONE=1", "TWO=two words", "X==");
      assertThat(variables).doesNotContain("OPENAI", "nobody");
    }
  }

  @Test
  void filesComeBackAsTheyWereWritten() throws Exception {
    try (Sandbox sandbox = open()) {
      byte[] content = new byte[300_000];
      new SplittableRandom(7).nextBytes(content);
      sandbox.writeFile("deep/er/it's a file", content);
      assertThat(sandbox.readFile("deep/er/it's a file")).isEqualTo(content);
      assertThat(sandbox.readFile(sandbox.workingDirectory() + "/deep/er/it's a file"))
          .isEqualTo(content);
      sandbox.writeFile("deep/er/it's a file", "short".getBytes(StandardCharsets.UTF_8));
      assertThat(sandbox.exec(ExecRequest.of("cat", "deep/er/it's a file")).stdout())
          .isEqualTo("short");
      sandbox.writeFile("-n", new byte[0]);
      assertThat(sandbox.readFile("-n")).isEmpty();
      sandbox.exec(shell("printf made > by-a-command"));
      assertThat(sandbox.readFile("by-a-command")).asString().isEqualTo("made");
    }
  }

  @Test
  void filesFailWithAReason() throws Exception {
    try (Sandbox sandbox = open(spec().withFileLimit(1_000))) {
      sandbox.writeFile("full", new byte[1_000]);
      assertThat(sandbox.readFile("full")).hasSize(1_000);
      sandbox.exec(shell("head -c 1001 /dev/zero > fuller"));
      assertThat(reason(() -> sandbox.readFile("fuller"))).isEqualTo(Reason.TOO_LARGE);
      assertThat(reason(() -> sandbox.writeFile("x", new byte[1_001]))).isEqualTo(Reason.TOO_LARGE);
      assertThat(reason(() -> sandbox.readFile("x"))).isEqualTo(Reason.NOT_FOUND);
      assertThat(reason(() -> sandbox.readFile("a\0b"))).isEqualTo(Reason.NOT_FOUND);
      assertThat(reason(() -> sandbox.readFile("a/".repeat(1_000_000)))).isEqualTo(Reason.FAILED);
      assertThat(reason(() -> sandbox.readFile("."))).isEqualTo(Reason.IS_DIRECTORY);
      assertThat(reason(() -> sandbox.writeFile(".", new byte[0]))).isEqualTo(Reason.IS_DIRECTORY);
      assertThat(reason(() -> sandbox.writeFile("full/below", new byte[0])))
          .isEqualTo(Reason.FAILED);
      assertThatExceptionOfType(SandboxFileException.class)
          .isThrownBy(() -> sandbox.readFile("no\u001b[31m"))
          .withMessage("cannot read 'no\uFFFD[31m' in the sandbox: there is no such file");
    }
  }

  @Test
  void outputBeyondTheLimitIsCutAndHoldsNothingUp() throws Exception {
    try (Sandbox sandbox = open(spec().withOutputLimit(1_001))) {
      ExecResult result =
          sandbox.exec(
              shell(
                  "i=0; while [ $i -lt 501 ]; do printf é; i=$((i + 1)); done; head -c 3000000"
                      + " /dev/zero; head -c 3000000 /dev/zero >&2; echo x > done"));
      assertThat(result.stdout()).as("no half character").isEqualTo("é".repeat(500));
      assertThat(result.stderr()).hasSize(1_001);
      assertThat(result.stdoutTruncated()).isTrue();
      assertThat(result.stderrTruncated()).isTrue();
      assertThat(result.success()).isTrue();
      assertThat(sandbox.readFile("done")).hasSize(2);
    }
  }

  @Test
  void inputNeedNotBeRead() throws Exception {
    try (Sandbox sandbox = open()) {
      assertThat(sandbox.exec(shell("echo enough").withStdin("x".repeat(1_000_000))).stdout())
          .isEqualTo("enough\n");
    }
  }

  @Test
  void whenTimeIsUpEverythingThatWasStartedEnds() throws Exception {
    String length = lengthOfASleep();
    try (Sandbox sandbox = open()) {
      ExecResult result =
          sandbox.exec(
              shell(startsTwoSleepers(length) + "echo begun; exec sleep " + length)
                  .withTimeout(SOON));
      assertThat(result.timedOut()).isTrue();
      assertThat(result.success()).isFalse();
      assertThat(result.exitCode()).isEqualTo(137);
      assertThat(result.stdout()).isEqualTo("begun\n");
      awaitSleepers(length, 0);
      assertThat(sandbox.exec(shell("echo still here")).stdout()).isEqualTo("still here\n");
    }
  }

  @Test
  void whoeverIsCancelledLeavesNothingRunning() throws Exception {
    String length = lengthOfASleep();
    try (Sandbox sandbox = open()) {
      Task<ExecResult> task =
          TIME.start(
              "command",
              () -> sandbox.exec(shell(startsTwoSleepers(length) + "exec sleep " + length)));
      awaitSleepers(length, 3);
      task.cancel();
      assertThatExceptionOfType(CancellationException.class).isThrownBy(task::join);
      awaitSleepers(length, 0);
    }
  }

  @Test
  void whoeverIsCancelledBeforeStartsNothing() throws Exception {
    try (Sandbox sandbox = open()) {
      Task<ExecResult> task =
          TIME.start(
              "command",
              () -> {
                Thread.currentThread().interrupt();
                return sandbox.exec(shell("echo x > started"));
              });
      assertThatExceptionOfType(CancellationException.class).isThrownBy(task::join);
      assertThat(reason(() -> sandbox.readFile("started"))).isEqualTo(Reason.NOT_FOUND);
    }
  }

  @Test
  void closingEndsWhatIsLeftAndWhatStillRuns() throws Exception {
    String length = lengthOfASleep();
    Sandbox sandbox = open();
    assertThat(sandbox.exec(shell(startsTwoSleepers(length))).exitCode()).isZero();
    Task<ExecResult> task =
        TIME.start("command", () -> sandbox.exec(shell("echo $$ > begun; exec sleep " + length)));
    while (!sandbox.exec(shell("test -s begun")).success()) {
      TIME.sleep(Duration.ofMillis(5));
    }
    sandbox.close();
    sandbox.close();
    assertThat(task.join().success()).isFalse();
    awaitSleepers(length, 0);
    assertThatIllegalStateException()
        .isThrownBy(() -> sandbox.exec(shell("echo")))
        .withMessage("cannot run a command: the sandbox is closed");
  }

  @Test
  void commandsOfOneSandboxRunSideBySide() throws Exception {
    try (Sandbox sandbox = open()) {
      // Each waits for the other.
      String meet = "echo > %s; while [ ! -e %s ]; do sleep 0.01; done";
      Task<ExecResult> one = TIME.start("one", () -> sandbox.exec(shell(meet.formatted("a", "b"))));
      assertThat(sandbox.exec(shell(meet.formatted("b", "a"))).success()).isTrue();
      assertThat(one.join().success()).isTrue();
    }
  }

  @Test
  void theSetupIsDoneBeforeTheSandboxIsUsed() throws Exception {
    Path tree = Files.createDirectories(elsewhere.resolve("tree/below"));
    Files.writeString(tree.resolve("leaf"), "leaf");
    Files.writeString(elsewhere.resolve("single"), "single");
    Map<String, SandboxFile> files = new LinkedHashMap<>();
    files.put("text", new SandboxFile.Text("näive"));
    files.put("copied/one", new SandboxFile.Copy(elsewhere.resolve("single")));
    files.put("copied/all", new SandboxFile.Copy(elsewhere.resolve("tree")));
    String script =
        "cat text copied/one copied/all/below/leaf > all\nread line || echo none >> all";
    var setup = new SandboxSetup(files, Optional.of(script), Duration.ofSeconds(30));
    try (Sandbox sandbox = sandboxes.open(spec(), setup, Waits.IGNORED)) {
      assertThat(sandbox.readFile("all")).asString().isEqualTo("näivesingleleafnone\n");
    }
  }

  @Test
  void aSetupThatFailsSaysWhyAndLeavesNothing() {
    assertThatExceptionOfType(SandboxException.class)
        .isThrownBy(() -> setUp("echo not today >&2\nexit 4", Duration.ofSeconds(30)))
        .withMessage("the setup script of the sandbox failed: exit code 4: not today");
    assertThatExceptionOfType(SandboxException.class)
        .isThrownBy(() -> setUp("echo slow >&2; sleep 100", SOON))
        .withMessageContaining("it was ended after PT0.5S")
        .withMessageContaining("slow");
    var missing =
        new SandboxSetup(
            Map.of("x", new SandboxFile.Copy(elsewhere.resolve("missing"))),
            Optional.empty(),
            SOON);
    assertThatExceptionOfType(SandboxException.class)
        .isThrownBy(() -> sandboxes.open(spec(), missing, Waits.IGNORED))
        .withMessageContaining("missing for the sandbox cannot be read");
  }

  private void setUp(String script, Duration timeout) throws InterruptedException {
    sandboxes.open(spec(), new SandboxSetup(Map.of(), Optional.of(script), timeout), Waits.IGNORED);
  }

  @Test
  void noMoreAreOpenOrRunningThanAllowedAndWaitsAreTold() throws Exception {
    List<Long> waits = new ArrayList<>();
    try (Sandboxes narrow = sandboxes(new SandboxCaps(Optional.of(1), Optional.of(1)))) {
      Sandbox first = narrow.open(spec(), SandboxSetup.NONE, Waits.IGNORED);
      Task<Sandbox> second =
          TIME.start(
              "second",
              () ->
                  narrow.open(spec(), SandboxSetup.NONE, from -> until -> waits.add(until - from)));
      while (narrow.gate(spec().type()).waiting() == 0) {
        TIME.sleep(Duration.ofMillis(5));
      }
      first.close();
      try (Sandbox sandbox = second.join()) {
        assertThat(waits).hasSize(1).allMatch(nanos -> nanos > 0);
        Task<ExecResult> running =
            TIME.start("running", () -> sandbox.exec(shell("read line || sleep 100")));
        while (narrow.subprocesses().inside() == 0) {
          TIME.sleep(Duration.ofMillis(5));
        }
        Task<ExecResult> waiting = TIME.start("waiting", () -> sandbox.exec(shell("echo")));
        while (narrow.subprocesses().waiting() == 0) {
          TIME.sleep(Duration.ofMillis(5));
        }
        running.cancel();
        assertThat(waiting.join().success()).isTrue();
        assertThat(waits).hasSize(2);
      }
    }
  }

  @Test
  void aProgramIsSpokenToWhileItRunsAndEndsWithTheSandbox() throws Exception {
    String length = lengthOfASleep();
    try (Sandbox sandbox = open()) {
      ExecRequest request =
          shell(startsTwoSleepers(length) + "while read -r line; do echo \"$MINE $line\"; done")
              .withEnvironment(Map.of("MINE", "said:"));
      Dialogue dialogue = sandbox.start(request);
      for (String line : List.of("one", "two")) {
        dialogue.say(line, TIME.after(Duration.ofSeconds(60)));
        Optional<String> answer = dialogue.next();
        while (answer.isEmpty() && !dialogue.isOver()) {
          TIME.sleep(Duration.ofMillis(1));
          answer = dialogue.next();
        }
        assertThat(answer).as(dialogue.complaints()).contains("said: " + line);
      }
      assertThat(sandboxes.subprocesses().inside()).as("it has no turn").isZero();
      assertThat(sandbox.exec(shell("echo beside it")).stdout()).isEqualTo("beside it\n");
      awaitSleepers(length, 2);
      dialogue.close();
      assertThat(sleepers(length)).isZero();
      sandbox.start(request);
      awaitSleepers(length, 2);
    }
    assertThat(sleepers(length)).isZero();
  }

  @Test
  void aClosedSandboxStartsNothing() throws Exception {
    Sandbox sandbox = open();
    sandbox.close();
    assertThatIllegalStateException().isThrownBy(() -> sandbox.start(shell("cat")));
  }
}
