package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cli.control.ControlServer;
import dev.weir.eval.Evaluation;
import dev.weir.eval.Host;
import dev.weir.eval.dataset.Sample;
import dev.weir.eval.option.Settings;
import dev.weir.eval.scorer.Scorers;
import dev.weir.eval.solver.Solver;
import dev.weir.eval.solver.Solvers;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.log.RunLogReader;
import dev.weir.log.RunResult.Status;
import dev.weir.log.SampleResult;
import dev.weir.time.Completion;
import dev.weir.time.Task;
import dev.weir.time.Time;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Evaluations in this process, on the system's clock, and the command over a real socket. */
@Timeout(60)
class CtlCommandTest {

  private static final Time TIME = Time.system();
  private static final int SAMPLES = 12;

  @TempDir Path directory;

  private Map<String, String> environment() {
    return Map.of("WEIR_CTL_DIR", directory.resolve("run").toString());
  }

  private Spoken ctl(Object... words) {
    Object[] all = new Object[words.length + 1];
    all[0] = "ctl";
    System.arraycopy(words, 0, all, 1, words.length);
    return Spoken.of(environment(), all);
  }

  private JsonNode json(Object... words) {
    Spoken spoken = ctl(words);
    assertThat(spoken.code()).as(spoken.err()).isZero();
    return spoken.json();
  }

  /** An evaluation whose samples ask only when they are told to. */
  private final class Held implements AutoCloseable {

    final Completion<Boolean> begun = new Completion<>(TIME, "the first sample");
    final Completion<Boolean> go = new Completion<>(TIME, "the test");
    final List<String> shown = new CopyOnWriteArrayList<>();
    final Evaluation evaluation;
    final ControlServer server;
    final Task<Evaluation.Finished> running;

    Held() throws Exception {
      Solver solver =
          (state, context) -> {
            begun.complete(true);
            go.await();
            Solvers.generate().solve(state, context);
          };
      TaskDefinition task =
          TaskDefinition.named("held")
              .dataset(
                  IntStream.rangeClosed(1, SAMPLES)
                      .mapToObj(i -> new Sample("s" + i, "Question " + i + "?", "answer" + i))
                      .toArray(Sample[]::new))
              .solver(solver)
              .scorer(Scorers.includes())
              .build();
      evaluation =
          Evaluation.prepare(
              TIME,
              List.of(task),
              Settings.NONE
                  .with("model", "sim/x:accuracy=1,latency=1ms,rpm=0")
                  .with("max_connections", 1)
                  .with("log_dir", directory.resolve("logs")),
              new Host(Map.of(), Optional.empty(), (_, record) -> shown.add(LiveLog.line(record))));
      server = ControlServer.open(TIME, environment(), evaluation.control());
      running = TIME.start("evaluation", evaluation::run);
      begun.await();
    }

    String id() {
      return evaluation.control().id();
    }

    Evaluation.Finished finish() throws Exception {
      go.complete(true);
      return running.join();
    }

    @Override
    public void close() throws IOException {
      running.cancel();
      try {
        running.join();
      } catch (InterruptedException unexpected) {
        throw new AssertionError("nobody interrupts a test", unexpected);
      }
      server.close();
    }
  }

  private static JsonNode updates(Evaluation.Finished finished) throws Exception {
    Path log = finished.runs().getFirst().file().orElseThrow();
    try (var zip = new ZipFile(log.toFile());
        InputStream header = zip.getInputStream(zip.getEntry("header.json"))) {
      return new JsonMapper()
          .readTree(new String(header.readAllBytes(), StandardCharsets.UTF_8))
          .path("config_updates");
    }
  }

  private static SampleResult sample(Evaluation.Finished finished, String id) throws Exception {
    try (var log = RunLogReader.open(finished.runs().getFirst().file().orElseThrow())) {
      return log.sample(id, 1).orElseThrow();
    }
  }

  @Test
  void withoutARunThereIsNothingToListOrChange() {
    assertThat(ctl("list").out()).contains("No evaluation of yours runs");
    assertThat(json("list", "--json").size()).isZero();
    Spoken refused = ctl("pause");
    assertThat(refused.code()).isEqualTo(ExitCode.USAGE);
    assertThat(refused.err()).contains("no evaluation of yours runs");
  }

  @Test
  void listsAndShowsWhatRuns() throws Exception {
    try (var held = new Held()) {
      JsonNode listed = json("list", "--json").get(0);
      assertThat(listed.path("id").asString()).isEqualTo(held.id());
      assertThat(listed.path("pid").asLong()).isEqualTo(ProcessHandle.current().pid());
      assertThat(listed.path("runs").get(0).path("samples").asInt()).isEqualTo(SAMPLES);
      assertThat(ctl("list").out()).contains(held.id(), "0/12", "held on sim/x");
      JsonNode shown = json("show", "--json");
      // One in the window, and five more to prepare and to score.
      assertThat(shown.path("runs").get(0).path("running").asInt()).isEqualTo(6);
      assertThat(shown.path("runs").get(0).path("waiting").asInt()).isEqualTo(6);
      assertThat(shown.path("runs").get(0).path("oldest").get(0).path("id").asString())
          .isEqualTo("s1");
      assertThat(shown.path("models").get(0).path("mode").asString()).isEqualTo("static");
      assertThat(shown.path("models").get(0).path("window").asInt()).isEqualTo(1);
      assertThat(ctl("show").out())
          .contains("window 1, in flight 0", "6 running, 6 waiting, of 12 samples")
          .contains("sample s1, epoch 1");
    }
  }

  @Test
  void changesTheLimitsOfAModel() throws Exception {
    try (var held = new Held()) {
      Spoken told = ctl("limits", "--max-connections", "3", "--reason", "more quota");
      assertThat(told.out()).contains("static, at most 3 in flight");
      JsonNode shown = json("show", "--json");
      assertThat(shown.path("models").get(0).path("window").asInt()).isEqualTo(3);
      assertThat(shown.path("runs").get(0).path("running").asInt()).isEqualTo(8);
      assertThat(held.evaluation.progress().getFirst().lane().window()).isEqualTo(3);
      assertThat(ctl("limits", "--max-connections", "0").err()).contains("max-connections");
      assertThat(ctl("limits", "--rpm", "600").out())
          .contains("static, at most 3 in flight, 600 requests per minute");
      assertThat(ctl("limits", "--mode", "pace", "--rpm", "6000").code()).isZero();
      assertThat(json("show", "--json").path("models").get(0).path("mode").asString())
          .isEqualTo("pace");
      Evaluation.Finished finished = held.finish();
      assertThat(finished.result().samples().scored()).isEqualTo(SAMPLES);
      JsonNode first = updates(finished).get(0);
      assertThat(first.path("changes").get(0).path("name").asString())
          .startsWith("limits of sim/x");
      assertThat(first.path("provenance").path("author").asString())
          .isEqualTo(System.getProperty("user.name"));
      assertThat(first.path("provenance").path("reason").asString()).isEqualTo("more quota");
    }
  }

  @Test
  void aPausedRunBeginsNothingAndGoesOnWhenItIsResumed() throws Exception {
    try (var held = new Held()) {
      assertThat(ctl("pause").out()).contains("Paused; 6 samples to finish");
      // There would be room for four more.
      assertThat(ctl("limits", "--max-connections", "5").code()).isZero();
      JsonNode paused = json("show", "--json");
      assertThat(paused.path("pause").asString()).isEqualTo("samples");
      assertThat(paused.path("runs").get(0).path("running").asInt()).isEqualTo(6);
      assertThat(ctl("list").out()).contains("(paused)");
      assertThat(json("resume", "--json").path("running").asInt()).isEqualTo(10);
      Evaluation.Finished finished = held.finish();
      assertThat(finished.result().samples().scored()).isEqualTo(SAMPLES);
      assertThat(updates(finished).size()).isEqualTo(3);
      String user = System.getProperty("user.name");
      assertThat(held.shown)
          .map(line -> line.substring(line.indexOf(' ') + 1))
          .startsWith(user + " has paused the evaluation: no new samples start")
          .anyMatch(line -> line.startsWith(user + " has changed the limits of sim/x:"))
          .contains(user + " has resumed the evaluation");
    }
  }

  @Test
  void aPauseAtOnceHoldsCalls() throws Exception {
    try (var held = new Held()) {
      assertThat(ctl("pause", "--now").out()).contains("Paused; 6 samples held");
      held.go.complete(true);
      assertThat(json("show", "--json").path("pause").asString()).isEqualTo("calls");
      assertThat(held.evaluation.models().getFirst().lane().inFlight()).isZero();
      assertThat(ctl("resume", "--json").json().path("pause").asString()).isEqualTo("none");
      assertThat(held.finish().result().samples().scored()).isEqualTo(SAMPLES);
    }
  }

  @Test
  void endsSamplesScoredOrAsErrors() throws Exception {
    try (var held = new Held()) {
      assertThat(ctl("cancel-sample", "s1", "--reason", "it loops").out()).contains("scored");
      assertThat(ctl("cancel-sample", held.id(), "s2", "--epoch", "1", "--error").out())
          .contains("as an error");
      assertThat(ctl("cancel-sample", "s99").err()).contains("no sample 's99' runs");
      Evaluation.Finished finished = held.finish();
      SampleResult scored = sample(finished, "s1");
      assertThat(scored.score()).contains(0.0);
      assertThat(scored.limit().orElseThrow().type()).isEqualTo("operator");
      assertThat(scored.limit().orElseThrow().message()).contains("it loops");
      assertThat(sample(finished, "s2").error().orElseThrow()).contains("ended early by");
      assertThat(finished.result().samples().scored()).isEqualTo(SAMPLES - 1);
      assertThat(updates(finished).size()).isEqualTo(2);
    }
  }

  @Test
  void cancelsAndFlushes() throws Exception {
    try (var held = new Held()) {
      JsonNode log = json("flush", "--json").path("logs").get(0);
      assertThat(Path.of(log.path("log").asString())).exists();
      assertThat(log.path("records").asLong()).isGreaterThanOrEqualTo(2);
      assertThat(ctl("flush").out()).contains("on the disk; 0 samples ended");
      assertThat(ctl("cancel", "--reason", "wrong prompt").code()).isZero();
      Evaluation.Finished finished = held.running.join();
      assertThat(finished.result().status()).isEqualTo(Status.CANCELLED);
      assertThat(updates(finished).toString()).contains("wrong prompt", "cancelled");
    }
  }

  @Test
  void ofSeveralEvaluationsOneIsNamed() throws Exception {
    try (var first = new Held();
        var second = new Held()) {
      assertThat(json("list", "--json").size()).isEqualTo(2);
      Spoken unclear = ctl("pause");
      assertThat(unclear.code()).isEqualTo(ExitCode.USAGE);
      assertThat(unclear.err()).contains(first.id(), second.id());
      assertThat(ctl("pause", "nonsense").err()).contains("no evaluation 'nonsense' runs");
      assertThat(ctl("pause", second.id()).code()).isZero();
      assertThat(json("show", first.id(), "--json").path("pause").asString()).isEqualTo("none");
      assertThat(json("show", second.id(), "--json").path("pause").asString()).isEqualTo("samples");
    }
  }

  @Test
  void aRunThatDoesNotAnswerIsNotHidden() throws Exception {
    Path sockets = Files.createDirectory(directory.resolve("run"));
    Files.setPosixFilePermissions(sockets, PosixFilePermissions.fromString("rwx------"));
    // It listens, and ends each connection without an answer.
    try (var deaf = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      deaf.bind(
          UnixDomainSocketAddress.of(
              sockets.resolve(ProcessHandle.current().pid() + "-1k2j.sock")));
      var _ =
          TIME.start(
              "deaf",
              () -> {
                while (deaf.isOpen()) {
                  deaf.accept().close();
                }
              });
      Spoken alone = ctl("list");
      assertThat(alone.code()).isEqualTo(ExitCode.FAILED);
      assertThat(alone.out()).isEmpty();
      assertThat(alone.err()).contains("1k2j").contains("does not answer");
      Spoken refused = ctl("cancel");
      assertThat(refused.code()).isEqualTo(ExitCode.FAILED);
      assertThat(refused.err())
          .startsWith("weir: the evaluation 1k2j")
          .contains("does not answer: it is stopped, or too busy; try again");
      try (var held = new Held()) {
        Spoken both = ctl("list");
        assertThat(both.out()).contains(held.id()).doesNotContain("1k2j");
        assertThat(both.err()).contains("1k2j");
        assertThat(ctl("pause").err()).contains("say which", "1k2j", held.id());
        assertThat(ctl("pause", held.id()).code()).isZero();
      }
    }
  }

  @Test
  void whoIsStoppedKeepsNobodyWaiting() throws Exception {
    Path sockets = Files.createDirectory(directory.resolve("run"));
    Files.setPosixFilePermissions(sockets, PosixFilePermissions.fromString("rwx------"));
    long pid = ProcessHandle.current().pid();
    // They listen, and never accept anybody.
    try (var first = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        var second = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        var held = new Held()) {
      first.bind(UnixDomainSocketAddress.of(sockets.resolve(pid + "-000a.sock")));
      second.bind(UnixDomainSocketAddress.of(sockets.resolve(pid + "-000b.sock")));
      assertThat(ctl("pause", held.id()).code()).isZero();
      Spoken all = ctl("list");
      assertThat(all.out()).contains(held.id());
      assertThat(all.err()).contains("the evaluation 000a", "the evaluation 000b");
    }
  }

  @Test
  void everyEvalCanBeReachedUnlessThatIsOff() throws Exception {
    Path task =
        Files.writeString(
            directory.resolve("task.yaml"),
            """
            task: slow
            dataset: [{input: "Question?", target: answer}]
            solver: generate
            scorer: includes
            """);
    for (String wanted : List.of("", "off")) {
      var told = new Completion<Boolean>(TIME, "the heading");
      Map<String, String> variables =
          Map.of(
              "WEIR_CTL", wanted,
              "WEIR_CTL_DIR", directory.resolve("run").toString(),
              "WEIR_LOG_DIR", directory.resolve("logs").toString());
      Writer err =
          new StringWriter() {
            @Override
            public void write(String text, int from, int length) {
              super.write(text, from, length);
              if (toString().contains("1 sample")) {
                told.complete(true);
              }
            }
          };
      var surroundings =
          new Surroundings(
              TIME, new PrintWriter(new StringWriter()), new PrintWriter(err), variables, false);
      Task<Integer> running =
          TIME.start(
              "eval",
              () -> Weir.run(surroundings, "eval", task.toString(), "--model", "sim/x:latency=1h"));
      told.await();
      if (wanted.equals("off")) {
        assertThat(json("list", "--json").size()).isZero();
        running.cancel();
      } else {
        assertThat(ctl("list").out()).contains("slow on sim/x");
        assertThat(ctl("cancel").code()).isZero();
        assertThat(running.join()).isEqualTo(ExitCode.INTERRUPTED);
        assertThat(ctl("list").out()).contains("No evaluation");
      }
    }
  }
}
