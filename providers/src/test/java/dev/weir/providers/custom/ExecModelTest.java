package dev.weir.providers.custom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.limits.retry.Outcome;
import dev.weir.model.Adapter;
import dev.weir.model.ConfigurationException;
import dev.weir.model.GenerationSettings;
import dev.weir.model.Message;
import dev.weir.model.ModelName;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.spi.Providers;
import dev.weir.model.spi.Surroundings;
import dev.weir.time.Task;
import dev.weir.time.Time;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class ExecModelTest {

  private static final String KEY = "key-of-nobody-77";
  private static final Time TIME = Time.system();
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  @TempDir Path folder;

  private Adapter open(String name, Map<String, String> arguments) {
    ModelName model = ModelName.parse(name);
    return Providers.find(model)
        .open(
            model,
            arguments,
            new Surroundings(
                TIME, 1, Map.of("NOBODY_KEY", KEY, "WEIR_OTHER_KEY", "other"), Optional.empty()));
  }

  private Adapter model(String... lines) {
    return open("exec:" + ExecFolder.fill(folder, lines), Map.of());
  }

  private Adapter model() {
    return model("command: [./model.sh]", "env: {MODEL_KEY: '${NOBODY_KEY}'}");
  }

  private static String text(Response response) {
    assertThat(response).isInstanceOf(Response.Reply.class);
    return ((Response.Reply) response).message().text();
  }

  private static Response.Failure failure(Response response) {
    assertThat(response).isInstanceOf(Response.Failure.class);
    return (Response.Failure) response;
  }

  @Test
  void whatIsPrintedIsTheAnswer() throws Exception {
    assertThat(text(model().exchange(Request.of("plain"))))
        .isEqualTo("first line\nkey " + KEY.length());
  }

  @Test
  void whatBeginsWithABraceIsAReplyUnlessTheFileSaysOtherwise() throws Exception {
    assertThat(failure(model().exchange(Request.of("brace"))))
        .isInstanceOf(Response.UnreadableReply.class);
    assertThat(text(model("command: [./model.sh]", "output: text").exchange(Request.of("brace"))))
        .isEqualTo("{\"city\": \"Lima\"}");
  }

  @Test
  void argumentsMayStandInForStandardInput() throws Exception {
    Adapter model =
        model(
            "command: [sh, -c, 'printf \"<%s>\" \"$@\"; cat', sh, first]",
            "input: arguments", "options: {config: {a: 1}, none: null}", "output: text");
    assertThat(text(model.exchange(Request.of("Say \"it\" $HOME"))))
        .isEqualTo("<first><Say \"it\" $HOME><{\"config\":{\"a\":1},\"none\":null}><{}>");
    Request more =
        Request.of(List.of(new Message.Instructions("Be brief."), Message.user("Hello")))
            .with(GenerationSettings.NONE.withExtraBody(Map.of("context", "{\"vars\":{}}")));
    assertThat(text(model.exchange(more)))
        .startsWith("<first><[{\"role\":\"system\"")
        .endsWith("><{\"vars\":{}}>");
  }

  /** A script that has a fault has it again; the run must come to an end. */
  @ParameterizedTest
  @CsvSource({"exit 3, exit code 3", "sleep 60, no reply within 0.2 s and was ended"})
  void whatFailsWithArgumentsIsNotWorthAnotherTry(String script, String why) throws Exception {
    Adapter model =
        model("command: [sh, -c, '%s']".formatted(script), "input: arguments", "timeout: 200ms");
    assertThat(failure(model.exchange(Request.of("x"))))
        .isInstanceOf(Response.InvalidRequest.class)
        .extracting(Response.Failure::message)
        .asString()
        .contains(why);
  }

  @Test
  void aPromptThatIsNoArgumentIsAFaultOfTheRequestAlone() throws Exception {
    Adapter model = model("command: ['true']", "input: arguments");
    for (String prompt : List.of("x".repeat(200_000), "a\0b")) {
      Response.Failure failure = failure(model.exchange(Request.of(prompt)));
      assertThat(failure.message()).contains("32000 characters at most, and none that is null");
      assertThat(((Response.InvalidRequest) failure).reach()).isEqualTo(Outcome.Reach.REQUEST);
    }
  }

  @Test
  void nothingIsNoAnswer() throws Exception {
    assertThat(failure(model().exchange(Request.of("silent"))))
        .isInstanceOf(Response.UnreadableReply.class);
  }

  @Test
  void aFailureTellsTheEndOfStandardErrorWithoutTheCredential() throws Exception {
    Response.Failure failure = failure(model().exchange(Request.of("fail: no such thing")));
    assertThat(failure).isInstanceOf(Response.InvalidRequest.class);
    assertThat(failure.message())
        .contains("exit code 3: ", "no such thing with [redacted]")
        .doesNotContain(KEY);
  }

  @ParameterizedTest
  @CsvSource({"reveal plain", "reveal reply", "reveal escaped", "reveal call", "reveal error"})
  void theCredentialIsNoPartOfAReply(String prompt) throws Exception {
    Response response = model().exchange(Request.of(prompt));
    String shown =
        response instanceof Response.Reply reply
            ? reply.message().text() + reply.message().toolCalls()
            : failure(response).message();
    assertThat(shown).contains("it is", "[redacted]");
    assertThat(shown + response.origin().raw()).doesNotContain("of-nobody");
  }

  @ParameterizedTest
  @CsvSource({
    "fail: HTTP 429 from upstream, true",
    "fail: Rate limit reached, true",
    "fail: too many requests, true",
    "fail: code 14290, false",
    "fail: took 1.429 s, false",
    "fail: File chain.py line 429 in ask, false",
  })
  void wordsMakeARateLimit(String prompt, boolean limited) throws Exception {
    Response.Failure failure = failure(model().exchange(Request.of(prompt)));
    assertThat(failure)
        .isInstanceOf(limited ? Response.RateLimited.class : Response.InvalidRequest.class);
  }

  /** A script that has a fault has it again; the run must come to an end. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "exit 75 | Transient",
        "echo '{\"transient\": true}' | Transient",
        "echo 'INFO the rate limit is 60/min' >&2; echo 'KeyError: choices' >&2; exit 1 |"
            + " InvalidRequest",
        "echo 'INFO starting' >&2; echo 'RateLimitError: 429' >&2; exit 1 | RateLimited",
        "echo busy >&2; exit 75 | Transient",
        "exit 1 | InvalidRequest",
        "exit 74 | InvalidRequest",
        "echo Traceback >&2; exit 1 | InvalidRequest",
        "echo '{\"error\": \"busy\", \"transient\": true}' | Transient",
        "echo '{\"error\": {\"message\": \"busy\", \"transient\": true}}' | Transient",
        "echo '{\"error\": \"busy\"}'; exit 75 | Transient",
        "echo '{\"error\": \"no\"}' | InvalidRequest",
        "echo '{\"error\": \"no\", \"transient\": false}'; exit 1 | InvalidRequest",
        "echo '{\"error\": {\"message\": \"down\", \"status\": 503}}' | Overloaded",
        "echo '{\"error\": \"rate limit\"}' | RateLimited",
        "echo HTTP 429 >&2; exit 75 | RateLimited",
        "kill -9 $$ | InvalidRequest",
      })
  void onlyWhatSaysSoIsTriedAgain(String script, String kind) throws Exception {
    Path program = folder.resolve("program.sh");
    Files.writeString(program, "cat > /dev/null\n" + script + "\n");
    Adapter model = model("command: [sh, %s]".formatted(program));
    assertThat(failure(model.exchange(Request.of("x"))).getClass().getSimpleName()).isEqualTo(kind);
  }

  @Test
  void aLongComplaintIsCutAndShowsNoHalfCredential() throws Exception {
    Response.Failure failure = failure(model().exchange(Request.of("long complaint")));
    assertThat(failure.message()).endsWith("the end").doesNotContain("nobody");
    assertThat(failure.message().length()).isLessThan(600);
  }

  @Test
  void aStatusThatIsHandedBackHasItsUsualMeaning() throws Exception {
    Response.Failure failure = failure(model().exchange(Request.of("refuse 401 0 No.")));
    assertThat(failure)
        .isInstanceOfSatisfying(
            Response.Authentication.class,
            wrong -> assertThat(wrong.reach()).isEqualTo(Outcome.Reach.ACCOUNT));
    assertThat(failure.origin().status()).hasValue(401);
  }

  @Test
  void aProgramGetsOnlyTheVariablesItIsGiven() throws Exception {
    assertThat(text(model("command: [./model.sh]").exchange(Request.of("environment"))))
        .isEqualTo("unset|path|" + folder.toRealPath());
  }

  @Test
  void aProgramNeedsNoFileThatDescribesIt() throws Exception {
    ExecFolder.fill(folder, "");
    assertThat(
            text(
                open("exec/" + folder.resolve("model.sh"), Map.of()).exchange(Request.of("say x"))))
        .isEqualTo("x");
  }

  @Test
  void aLineForTheShellIsOnlyUsedIfTheFileSaysSo() throws Exception {
    assertThat(text(model("shell: cat > /dev/null; echo $((6 * 7))").exchange(Request.of("x"))))
        .isEqualTo("42");
    assertThat(text(model("command: [echo, '$((6 * 7)); exit 1']").exchange(Request.of("x"))))
        .isEqualTo("$((6 * 7)); exit 1");
  }

  @Test
  void aProgramNeedNotReadALongRequest() throws Exception {
    Request large = Request.of("x".repeat(1_000_000));
    assertThat(text(model("command: [echo, enough]").exchange(large))).isEqualTo("enough");
  }

  @Test
  void aProgramThatReadsAndPrintsMuchAtOnceIsNotStuck() throws Exception {
    Request large = Request.of("x".repeat(1_000_000));
    assertThat(text(model("shell: cat", "output: text").exchange(large)))
        .hasSizeGreaterThan(2_000_000);
  }

  @Test
  void oneThatLeavesAnotherBehindEndsAllTheSame() throws Exception {
    assertThat(text(model("shell: sleep 3 & echo done").exchange(Request.of("x"))))
        .isEqualTo("done");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sleep 120 & echo $! > '%s'; echo done",
        "(sleep 120 & echo $! > '%s') & wait; echo done",
        "(trap '' HUP; sleep 120 & echo $! > '%s') > /dev/null 2>&1 < /dev/null; echo done"
      })
  void whatItLeavesBehindIsEnded(String line) throws Exception {
    Path pid = folder.resolve("pid");
    assertThat(text(model("shell: " + line.formatted(pid)).exchange(Request.of("x"))))
        .isEqualTo("done");
    long left = Long.parseLong(Files.readString(pid).strip());
    awaitTrue(() -> ProcessHandle.of(left).filter(ProcessHandle::isAlive).isEmpty());
  }

  @Test
  void otherProgramsGoOn() throws Exception {
    Path pid = folder.resolve("pid");
    Adapter model = model("command: [./model.sh]", "env: {PID_FILE: '" + pid + "'}");
    Task<Response> other = TIME.start("another", () -> model.exchange(Request.of("long")));
    awaitTrue(() -> Files.exists(pid) && !Files.readString(pid).isBlank());
    assertThat(text(model.exchange(Request.of("say x")))).isEqualTo("x");
    assertThat(ProcessHandle.of(Long.parseLong(Files.readString(pid).strip()))).isPresent();
    other.cancel();
  }

  @Test
  void timeIsUp() throws Exception {
    ExecFolder.fill(folder, "command: [./model.sh]");
    Adapter model = open("exec:" + folder.resolve("model.yaml"), Map.of("timeout", "200ms"));
    Response.Failure failure = failure(model.exchange(Request.of("long")));
    assertThat(failure).isInstanceOf(Response.Transient.class);
    assertThat(failure.message()).contains("no reply within");
  }

  @ParameterizedTest
  @CsvSource({"long", "flood"})
  void anInterruptEndsItWithAllItStarted(String prompt) throws Exception {
    Path pid = folder.resolve("pid");
    Adapter model = model("command: [./model.sh]", "env: {PID_FILE: '" + pid + "'}");
    Task<String> task =
        TIME.start(
            "a program",
            () -> {
              try {
                return "ended with " + model.exchange(Request.of(prompt));
              } catch (InterruptedException expected) {
                return "interrupted";
              }
            });
    Optional<ProcessHandle> child = Optional.empty();
    if (prompt.equals("long")) {
      awaitTrue(() -> Files.exists(pid) && !Files.readString(pid).isBlank());
      child = ProcessHandle.of(Long.parseLong(Files.readString(pid).strip()));
      assertThat(child).isPresent();
    } else {
      TIME.sleep(Duration.ofMillis(200));
    }
    task.cancel();
    assertThat(task.join(TIME.after(Duration.ofMillis(500)))).as("ended in time").isTrue();
    assertThat(task.join()).isEqualTo("interrupted");
    if (child.isPresent()) {
      ProcessHandle sleeper = child.get();
      awaitTrue(() -> !sleeper.isAlive());
    }
  }

  private interface Condition {

    boolean holds() throws Exception;
  }

  private static void awaitTrue(Condition condition) throws Exception {
    long deadline = TIME.after(PATIENCE);
    while (!condition.holds()) {
      assertThat(TIME.nanos()).as("in time").isLessThan(deadline);
      TIME.sleep(Duration.ofMillis(2));
    }
  }

  @Test
  void whatCannotBeStartedIsToldForGood() throws Exception {
    Response.Failure failure =
        failure(model("command: [no-such-program-of-weir]").exchange(Request.of("x")));
    assertThat(failure)
        .isInstanceOfSatisfying(
            Response.InvalidRequest.class,
            invalid -> assertThat(invalid.reach()).isEqualTo(Outcome.Reach.MODEL));
    assertThat(failure.message()).contains("no-such-program-of-weir");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "comand: [x] | line 1, column 1: unknown key 'comand'; did you mean 'command'?",
        "model: x | there must be either a `command` or a `shell` line",
        "{command: [x], shell: x} | there must be either a `command` or a `shell` line",
        "command: ./model.sh x | line 1, column 10: `command` must be a list",
        "command: [] | `command` must name a program",
        "command: [./absent.sh] | absent.sh, or it may not be run",
        "'command: [x, \"${NOBODY_KEY}\"]' | credentials (${NAME}) belong into `headers` or `env`",
        "{command: [x], timeout: soon} | `timeout` must be a duration",
        "{command: [x], max_output: 0} | `max_output` must be a whole number from 1",
        "{command: [x], output: json} | `output` must be auto or text",
        "{command: [x], env: [A]} | `env` must be a mapping",
        "'{command: [x], env: {A: \"${ABSENT_KEY}\"}}' | set ABSENT_KEY in the environment",
      })
  void tellsWhereAFileIsWrong(String line, String problem) {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> model(line))
        .withMessageContaining("model.yaml")
        .withMessageContaining(problem);
  }

  @Test
  void tellsThatThereIsNoProgram() {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> open("exec:" + folder.resolve("absent.sh"), Map.of()))
        .withMessageContaining("absent.sh is not a program that may be run");
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> open("exec:" + folder.resolve("absent.yaml"), Map.of()))
        .withMessageContaining("absent.yaml: there is no such file");
  }
}
