package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.Evaluation;
import dev.weir.eval.Host;
import dev.weir.eval.memory.LearnedLimits;
import dev.weir.eval.memory.LimitStore;
import dev.weir.eval.memory.MemoryUse;
import dev.weir.eval.option.Settings;
import dev.weir.eval.option.TraceOptions.LogLevel;
import dev.weir.limits.LimitKey;
import dev.weir.limits.pace.PaceMemory;
import dev.weir.log.RunResult;
import dev.weir.log.trace.TraceRecord;
import dev.weir.model.Secret;
import dev.weir.simulator.server.Given;
import dev.weir.simulator.server.Setting;
import dev.weir.simulator.server.Simulation;
import dev.weir.simulator.server.SimulatorServer;
import dev.weir.time.Completion;
import dev.weir.time.Task;
import dev.weir.time.Time;
import dev.weir.web.WebSettings;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs over HTTP against a limit that is not advertised, one after the other. */
@Timeout(60)
class MemoryBetweenRunsTest {

  private static final String KEY = "sk-weir-test-0123456789abcdef";
  private static final String MODEL = "openai-api/local/some";

  /** What the provider allows, with a burst of 10, and does not advertise. */
  private static final String HIDDEN_RPM = "1200:10";

  /** More than are run: when a limit is learned depends on the machine, so runs are ended then. */
  private static final int SAMPLES = 20_000;

  @TempDir Path directory;

  private final Map<String, String> environment = new HashMap<>();
  private SimulatorServer server;
  private String url;
  private String task;

  private record Said(int code, String out, String err) {}

  @BeforeEach
  void start() throws Exception {
    Map<Setting, List<Given>> given = new EnumMap<>(Setting.class);
    given.put(Setting.LATENCY, List.of(new Given("test", "5ms")));
    given.put(Setting.API_KEY, List.of(new Given("test", KEY)));
    given.put(Setting.HIDDEN_RPM, List.of(new Given("test", HIDDEN_RPM)));
    given.put(Setting.HEADERS, List.of(new Given("test", "none")));
    server =
        SimulatorServer.start(
            Time.system(), WebSettings.loopback(0), Simulation.of(Optional.empty(), given, 1));
    url = server.address().resolve("/v1").toString();
    environment.put("LOCAL_API_KEY", KEY);
    environment.put("LOCAL_BASE_URL", url);
    environment.put("WEIR_STATE_DIR", state().toString());
    environment.put("WEIR_LOG_DIR", directory.resolve("logs").toString());
    Files.writeString(
        directory.resolve("many.csv"),
        IntStream.range(0, SAMPLES)
            .mapToObj("s%1$d,[[echo: %1$d]],%1$d\n"::formatted)
            .collect(Collectors.joining("", "id,input,target\n", "")));
    task =
        Files.writeString(
                directory.resolve("task.yaml"),
                "task: many\ndataset: many.csv\nsolver: generate\nscorer: includes\n")
            .toString();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private Path state() {
    return directory.resolve("state");
  }

  private LimitStore store() {
    return LimitStore.of(environment, Time.system()).orElseThrow();
  }

  private String scope() {
    return LimitKey.of("local", new Secret(KEY).fingerprint(url), "some").learningScope();
  }

  private void remember(double requestsPerSecond, Duration ahead) throws Exception {
    store()
        .write(
            new LearnedLimits(
                scope(),
                MODEL,
                "",
                new PaceMemory(
                    PaceMemory.VERSION,
                    Time.system().instant().plus(ahead).toEpochMilli(),
                    OptionalDouble.of(requestsPerSecond),
                    OptionalDouble.empty(),
                    OptionalInt.empty())));
  }

  private Said weir(String... words) {
    var out = new StringWriter();
    var err = new StringWriter();
    int code =
        Weir.run(
            new Surroundings(
                Time.system(), new PrintWriter(out), new PrintWriter(err), environment, false),
            words);
    return new Said(code, out.toString(), err.toString());
  }

  /** With all that is learned of limits on standard error. */
  private Said eval(String... more) {
    Said said =
        weir(
            Stream.concat(
                    Stream.of("eval", task, "--json", "--log-level", "debug"), Stream.of(more))
                .toArray(String[]::new));
    assertThat(said.code()).as(said.toString()).isZero();
    return said;
  }

  @Test
  void aRunStartsFromWhatTheOneBeforeItLearned() throws Exception {
    List<TraceRecord> first = learned();
    assertThat(first).noneMatch(record -> isLearned(record, "remembered"));
    Path file = store().directory().resolve(onlyFile());
    assertThat(Files.getPosixFilePermissions(file))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    assertThat(Files.readString(file)).contains(MODEL, "host 127.0.0.1:").doesNotContain(KEY);
    assertThat(weir("limits", "show").out()).contains(MODEL, "just now");

    Said second = eval("--model", MODEL, "--limit", "3");
    assertThat(second.err()).contains("(remembered)");
    assertThat(eval("--model", MODEL, "--limit", "3", "--no-memory").err())
        .doesNotContain("(remembered)");

    weir("limits", "forget", MODEL);
    assertThat(eval("--model", MODEL, "--limit", "3").err()).doesNotContain("(remembered)");
  }

  private String onlyFile() throws Exception {
    try (Stream<Path> files = Files.list(store().directory())) {
      List<String> names = files.map(file -> file.getFileName().toString()).toList();
      assertThat(names).hasSize(1);
      return names.getFirst();
    }
  }

  @Test
  void anotherBaseUrlIsAnotherLimit() throws Exception {
    remember(100, Duration.ZERO);
    environment.put("LOCAL_BASE_URL", url.replace("127.0.0.1", "localhost"));
    assertThat(eval("--model", MODEL, "--limit", "3").err()).doesNotContain("(remembered)");
    environment.put("LOCAL_BASE_URL", url);
    assertThat(eval("--model", MODEL, "--limit", "3").err()).contains("(remembered)");
  }

  @Test
  void itIsTurnedOffInAnyWay() throws Exception {
    remember(100, Duration.ZERO);
    byte[] before = Files.readAllBytes(store().list().getFirst().file());
    assertThat(eval("--model", MODEL, "--limit", "3", "--memory=false").err())
        .doesNotContain("(remembered)");
    environment.put("WEIR_MEMORY", "false");
    assertThat(eval("--model", MODEL, "--limit", "3").err()).doesNotContain("(remembered)");
    environment.remove("WEIR_MEMORY");
    Files.writeString(Path.of(task), Files.readString(Path.of(task)) + "memory: false\n");
    assertThat(eval("--model", MODEL, "--limit", "3").err()).doesNotContain("(remembered)");
    assertThat(store().list().getFirst().file()).hasBinaryContent(before);
  }

  @Test
  void whatCannotBeUsedIsIgnoredWithOneNotice() throws Exception {
    remember(100, Duration.ofDays(1));
    Path file = store().list().getFirst().file();
    Said future = eval("--model", MODEL, "--limit", "3");
    assertThat(future.err())
        .doesNotContain("(remembered)")
        .containsOnlyOnce("is dated in the future")
        .contains(file.toString(), "weir limits forget --unusable");
    Files.writeString(file, "weir-limits 1\nscope");
    assertThat(eval("--model", MODEL, "--limit", "3").err())
        .doesNotContain("(remembered)")
        .containsOnlyOnce("is damaged");
  }

  @Test
  void aRunContinuesWhereNothingCanBeSaved() throws Exception {
    Files.writeString(state(), "a file");
    assertThat(learned())
        .filteredOn(record -> record.event().equals("warning"))
        .singleElement()
        .satisfies(record -> assertThat(record.line()).contains("cannot be saved in " + state()));
  }

  /** What happens in a run that is cancelled, as by Ctrl+C, when it has learned the limit. */
  private List<TraceRecord> learned() throws Exception {
    Time time = Time.system();
    List<TraceRecord> records = new CopyOnWriteArrayList<>();
    var isLearned = new Completion<Boolean>(time, "the limit");
    BiConsumer<LogLevel, TraceRecord> watcher =
        (_, record) -> {
          if (!record.event().equals(TraceRecord.HTTP)) {
            records.add(record);
          }
          if (isLearned(record, "observed")) {
            isLearned.complete(true);
          }
        };
    var host = new Host(environment, Optional.empty(), watcher).withMemory(MemoryUse.BY_DEFAULT);
    Evaluation evaluation =
        Evaluation.prepare(
            time,
            Path.of(task),
            Settings.NONE.model(MODEL).logDir(directory.resolve("logs")),
            host);
    Task<Evaluation.Finished> running = time.start("evaluation", evaluation::run);
    isLearned.await();
    running.cancel();
    assertThat(running.join().result().status()).isEqualTo(RunResult.Status.CANCELLED);
    return records;
  }

  private static boolean isLearned(TraceRecord record, String source) {
    return record.event().equals("ratelimit:learned")
        && source.equals(record.details().get("source"));
  }

  @Test
  void simulatedModelsAndRehearsalsLeaveNothing() {
    eval("--model", "sim/demo", "-M", "rpm=60000,burst=5,latency=1ms", "--limit", "50");
    eval("--model", "mock/echo", "--limit", "5");
    weir("eval", task, "--model", MODEL, "--limit", "50", "--rehearse", "openai-tier-1");
    weir("eval", task, "--model", MODEL, "--limit", "50", "--dry-run");
    assertThat(store().directory()).doesNotExist();
  }

  @Test
  void programsAskForItAndTestsNever() throws Exception {
    remember(100, Duration.ZERO);
    assertThat(isRemembered(MemoryUse.ON_REQUEST, Settings.NONE)).isFalse();
    assertThat(isRemembered(MemoryUse.ON_REQUEST, Settings.NONE.memory(true))).isTrue();
    assertThat(isRemembered(MemoryUse.NEVER, Settings.NONE.memory(true))).isFalse();
  }

  private boolean isRemembered(MemoryUse use, Settings settings) {
    List<TraceRecord> records = new ArrayList<>();
    var host =
        new Host(environment, Optional.empty(), (_, record) -> records.add(record)).withMemory(use);
    Evaluation.prepare(
            Time.system(),
            Path.of(task),
            settings.model(MODEL).with("limit", 3).logDir(directory.resolve("logs")),
            host)
        .run();
    return records.stream().anyMatch(record -> isLearned(record, "remembered"));
  }

  @Test
  void anInterruptedRunSaves() throws Exception {
    try (var process =
        WeirProcess.start(
            directory,
            List.of(),
            List.of(),
            environment,
            List.of("eval", task, "--model", MODEL, "--log-level", "debug"))) {
      process.until(() -> process.words().contains("(observed)"));
      assertThat(store().directory()).doesNotExist();
      process.signal("INT");
      assertThat(process.ended()).as(process.words()).isEqualTo(ExitCode.INTERRUPTED);
    }
    assertThat(store().read(scope())).get().isInstanceOf(LimitStore.Entry.Usable.class);
  }
}
