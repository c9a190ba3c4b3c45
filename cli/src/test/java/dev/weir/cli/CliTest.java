package dev.weir.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.time.virtual.VirtualTime;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The command as a user meets it, on virtual time. */
class CliTest {

  private static final Path CAPITALS =
      Path.of(System.getProperty("weir.root"), "examples", "capitals.yaml");

  @TempDir Path directory;

  private final Map<String, String> environment = new HashMap<>();
  private boolean terminal;

  private record Said(int code, String out, String err) {}

  private Said weir(Object... words) throws Exception {
    var out = new StringWriter();
    var err = new StringWriter();
    VirtualTime time = VirtualTime.seeded(1);
    List<String> arguments = new ArrayList<>();
    for (Object word : words) {
      arguments.add(word.toString());
    }
    int code =
        time.run(
            () ->
                Weir.run(
                    new Surroundings(
                        time, new PrintWriter(out), new PrintWriter(err), environment, terminal),
                    arguments.toArray(String[]::new)));
    return new Said(code, out.toString(), err.toString());
  }

  private Path logs() {
    return directory.resolve("logs");
  }

  /** 50 samples at 600 a minute, however many may be in flight. */
  @ParameterizedTest
  @CsvSource({
    "--max-connections 20, static",
    "--adaptive-connections 1-20-40, aimd",
    "--concurrency-mode halving --max-concurrency 20, halving",
    "--concurrency-mode pace, pace",
    // The grader opens the lane first, and knows nothing of the tier.
    "--max-connections 20 --model-role grader=sim/x:rpm=0, static",
    "--concurrency-mode pace --model-role grader=sim/x:rpm=0, pace",
  })
  void ratesAreCeilingsInEveryMode(String words, String mode) throws Exception {
    List<Object> arguments = new ArrayList<>(List.of("eval", CAPITALS, "--json"));
    arguments.addAll(List.of("--model", "sim/x:rpm=0,latency=10ms", "--log-dir", logs()));
    arguments.addAll(List.of("--rpm", "600"));
    arguments.addAll(List.of(words.split(" ")));
    Said said = weir(arguments.toArray());
    assertThat(said.code()).as(said.err()).isZero();
    JsonNode result = new JsonMapper().readTree(said.out());
    assertThat(result.get("concurrency_mode").asString()).isEqualTo(mode);
    assertThat(result.get("seconds").asDouble()).isBetween(mode.equals("pace") ? 3.0 : 4.9, 7.0);
  }

  @Test
  void evaluatesAndShowsATable() throws Exception {
    Said said = weir("eval", CAPITALS, "--seed", "7", "--log-dir", logs());
    assertThat(said.code()).isZero();
    // One seed, one history: even the time and the name of the file are always the same.
    assertThat(said.out().replace(logs().toString(), "logs"))
        .isEqualToNormalizingNewlines(
            """

            task      model     accuracy [95 %]       samples  errors  retries  time   tokens           cost
            ────────  ────────  ────────────────────  ───────  ──────  ───────  ─────  ───────────────  ───────
            capitals  sim/demo  0.880 [0.762, 0.944]  50       0       0        2.9 s  889 in, 101 out  $0.0000

            Limited by: requests per minute of sim/demo, 80 % of the time; twice the tier would save about 1.2 s
            Time of all samples: 23.1 s calling, 12.5 s pacing, 0.0 s queueing, 0.0 s backing off
            Intervals: 95 %, Wilson
            Seed: 7
            Log: logs/2026-01-01T00-00-00_capitals_27eiv0aytrp35.eval
            """);
    assertThat(said.err()).isEqualToNormalizingNewlines("capitals on sim/demo: 50 samples\n");
  }

  /** Brackets under the heading [95 %] are that, whatever level of {@code ci} a task has. */
  @Test
  void anIntervalOfAnotherLevelHasItsOwnLines() throws Exception {
    String task =
        """
        task: levels
        dataset: [{input: a, target: a}, {input: b, target: b}, {input: c, target: x}]
        solver: generate
        model: mock/echo
        scorer: includes
        metrics: [mean, {ci: {level: %s}}]
        """;
    Path half = Files.writeString(directory.resolve("half.yaml"), task.formatted("0.5"));
    Path usual = Files.writeString(directory.resolve("usual.yaml"), task.formatted("0.95"));
    assertThat(weir("eval", half, "--log-dir", logs()).out())
        .contains("mean [95 %]", "0.667 [0.208, 0.939]", "ci_low", "ci_high");
    assertThat(weir("eval", usual, "--log-dir", logs()).out())
        .contains("mean [95 %]", "0.667 [0.208, 0.939]")
        .doesNotContain("ci_low");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "init",
        "eval",
        "list",
        "score",
        "log",
        "providers",
        "trace",
        "ctl",
        "simulate",
        "bench",
        "cache",
        "limits",
        "completion",
        "help"
      })
  void aCommandIsTheSameAloneAndAmongTheOthers(String command) throws Exception {
    // Whatever does not begin with a command sets up all of them.
    assertThat(weir(command, "--help")).isEqualTo(weir("--debug=false", command, "--help"));
    assertThat(weir(command, "--nothing")).isEqualTo(weir("--debug=false", command, "--nothing"));
    assertThat(weir("help").out()).containsPattern("(?m)^  " + command + " ");
  }

  @Test
  void printsOneJsonDocumentWithTheMetricsByName() throws Exception {
    Said said = weir("eval", CAPITALS, "--json", "--limit", 20, "--log-dir", logs());
    assertThat(said.code()).isZero();
    assertThat(said.err()).isEmpty();
    JsonNode document = new JsonMapper().readTree(said.out());
    assertThat(document.get("metrics").get("accuracy").asDouble()).isBetween(0.0, 1.0);
    assertThat(document.get("samples").get("total").asInt()).isEqualTo(20);
    assertThat(Path.of(document.get("log").asString())).exists();
  }

  @Test
  void showsPlainLinesWhereNobodyWatches() throws Exception {
    Said said =
        weir(
            "eval", CAPITALS, "-M", "latency=2s,rpm=0", "--max-connections=5", "--log-dir", logs());
    assertThat(said.err().lines()).hasSizeGreaterThan(3);
    assertThat(said.err())
        .contains("5/5 in flight")
        .contains("00:04 · ETA")
        .doesNotContain("\u001b");
  }

  @Test
  void showsTablesThatMoveOnATerminal() throws Exception {
    terminal = true;
    Said said = weir("eval", CAPITALS, "--max-connections", 10, "--log-dir", logs());
    assertThat(said.err()).isEmpty();
    assertThat(said.out())
        .contains(
            "\u001b[?2026h\u001b[?25l\u001b[?7l\r\u001b[6A",
            "10/10",
            "score so far",
            "requests/min",
            "calling sim/demo: 10 are in flight, and",
            "█",
            "\u001b[36m");
    for (String line : said.out().split("[\r\n]+", -1)) {
      if (!line.startsWith("Log: ") && !line.startsWith("Enough")) {
        String seen = line.replaceAll("\u001b\\[[0-9;?]*[A-Za-z]", "");
        assertThat(seen).hasSizeLessThan(90);
      }
    }
    String report = said.out().substring(said.out().lastIndexOf("\u001b[J"));
    assertThat(report)
        .as("after what moved")
        .contains("accuracy [95 %]", "retries 0 · tokens 889 in, ")
        .contains("Log: ");
    environment.put("NO_COLOR", "1");
    assertThat(weir("eval", CAPITALS, "--max-connections", 10, "--log-dir", logs()).out())
        .contains("10/10")
        .doesNotContain("\u001b[36m");
  }

  @Test
  void theDisplayCanBeChosen() throws Exception {
    terminal = true;
    Object[] slow = {"eval", CAPITALS, "-M", "latency=2s,rpm=0", "--max-connections=5"};
    environment.put("WEIR_LOG_DIR", logs().toString());
    environment.put("WEIR_DISPLAY", "plain");
    assertThat(weir(slow).err()).contains("5/5 in flight");
    assertThat(weir(slow).out()).doesNotContain("\u001b");
    environment.put("WEIR_DISPLAY", "none");
    assertThat(weir(slow).err()).isEmpty();
    assertThat(weir(slow).out()).contains("accuracy [95 %]").doesNotContain("\u001b");
    environment.put("WEIR_DISPLAY", "colourful");
    assertThat(weir(slow).err())
        .contains("WEIR_DISPLAY must be full, plain or none, was 'colourful'");
    environment.remove("WEIR_DISPLAY");
    assertThat(weir("eval", CAPITALS, "--display", "big").err())
        .contains("--display must be full, plain or none, was 'big'");
    assertThat(weir("eval", CAPITALS, "--json", "--display", "full").out()).startsWith("{");
    terminal = false;
    assertThat(weir("eval", CAPITALS, "--display", "full").out()).doesNotContain("\u001b");
  }

  @Test
  void warningsStayAboveWhatMoves() throws Exception {
    terminal = true;
    Said said =
        weir(
            "eval",
            CAPITALS,
            "--limit",
            3,
            "-M",
            "rpm=60,burst=1",
            "--max-connections=3",
            "--log-level",
            "info",
            "--log-dir",
            logs());
    assertThat(said.err()).contains("request:retrying").doesNotContain("\u001b");
    assertThat(said.out()).contains("backing off after rate limited of sim/demo, ");
  }

  @Test
  void theEnvironmentFillsInWhatIsNotGiven() throws Exception {
    environment.put("WEIR_LIMIT", "4");
    environment.put("WEIR_LOG_DIR", logs().toString());
    environment.put("WEIR_MODEL_ARGS", "accuracy=0,latency=1ms");
    environment.put("WEIR_JSON", "true");
    JsonNode document = new JsonMapper().readTree(weir("eval", CAPITALS).out());
    assertThat(document.get("samples").get("total").asInt()).isEqualTo(4);
    assertThat(document.get("metrics").get("accuracy").asDouble()).isZero();
    JsonNode given = new JsonMapper().readTree(weir("eval", CAPITALS, "--limit", 3).out());
    assertThat(given.get("samples").get("total").asInt()).isEqualTo(3);
  }

  @Test
  void modelArgumentsAreMergedKeyByKey() throws Exception {
    environment.put("WEIR_MODEL_ARGS", "accuracy=1,latency=1ms");
    Said said = weir("eval", CAPITALS, "-M", "latency=2s,rpm=0", "--seed", 7, "--log-dir", logs());
    assertThat(said.out()).contains("1.000 [0.929, 1.000]");
    assertThat(said.err().lines()).as("of a slow model").hasSizeGreaterThan(1);
    environment.put("WEIR_MODEL_ARGS", "accuracy");
    assertThat(weir("eval", CAPITALS).err())
        .contains("WEIR_MODEL_ARGS must be of the form key=value");
  }

  @ParameterizedTest
  @ValueSource(strings = {"true", "1", "yes", "TRUE"})
  void flagsInTheEnvironmentAreNotInvertedByTheCommandLine(String yes) throws Exception {
    environment.put("WEIR_LOG_DIR", logs().toString());
    environment.put("WEIR_JSON", yes);
    environment.put("WEIR_DEBUG", yes);
    assertThat(weir("eval", CAPITALS).out()).startsWith("{");
    assertThat(weir("eval", CAPITALS, "--json").out()).startsWith("{");
    assertThat(weir("eval", CAPITALS, "--json=false").out()).contains("accuracy [95 %]  ");
    assertThat(weir("eval", "no.yaml").err()).contains("\tat ");
    assertThat(weir("eval", "no.yaml", "--debug").err()).contains("\tat ");
    assertThat(weir("eval", "no.yaml", "--debug=false").err()).doesNotContain("\tat ");
    assertThat(weir("--version").code()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"false", "0", "no", ""})
  void flagsInTheEnvironmentCanSayNo(String no) throws Exception {
    environment.put("WEIR_LOG_DIR", logs().toString());
    environment.put("WEIR_JSON", no);
    environment.put("WEIR_DEBUG", no);
    assertThat(weir("eval", CAPITALS).out()).contains("accuracy [95 %]  ");
    assertThat(weir("eval", CAPITALS, "--json").out()).startsWith("{");
    assertThat(weir("eval", "no.yaml").err()).doesNotContain("\tat ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"WEIR_JSON", "WEIR_DEBUG"})
  void otherWordsForFlagsAreToldWithTheVariable(String variable) throws Exception {
    environment.put(variable, "maybe");
    Said said = weir("eval", CAPITALS, "--log-dir", logs());
    assertThat(said.code()).isEqualTo(ExitCode.USAGE);
    assertThat(said.err()).containsOnlyOnce(variable + " must be true or false, was 'maybe'");
    assertThat(logs()).doesNotExist();
    assertThat(weir("--version").code()).isZero();
    assertThat(weir("eval", "--help").code()).isZero();
  }

  @Test
  void variablesThatAreEmptyOrOverruledDoNotCount() throws Exception {
    environment.put("WEIR_LOG_DIR", "");
    environment.put("WEIR_LIMIT", "many");
    Path task = directory.resolve("task.yaml");
    Files.copy(CAPITALS.resolveSibling("capitals.csv"), directory.resolve("capitals.csv"));
    Files.writeString(task, Files.readString(CAPITALS) + "log_dir: from-file\n");
    assertThat(weir("eval", task, "--limit", 3).code()).isZero();
    assertThat(directory.resolve("from-file")).isNotEmptyDirectory();
    assertThat(weir("eval", task).err()).contains("WEIR_LIMIT must be a whole number, at least 1");
  }

  /** Of simulated models, too: each sample has the same answer in each epoch, whoever asks. */
  @Test
  void aRunThatIsGoneOnWithHasTheScoresOfOneThatWasNot() throws Exception {
    Object[] undisturbed = {
      "eval", CAPITALS, "--model", "sim/a", "--epochs", 3, "--seed", 5, "--log-dir", logs()
    };
    String table = weir(undisturbed).out();
    Path stopped = directory.resolve("stopped");
    List<Object> words = new ArrayList<>(List.of(undisturbed));
    words.removeLast();
    words.addAll(List.of(stopped, "-M", "credit=70"));
    assertThat(weir(words.toArray()).code()).isEqualTo(ExitCode.REFUSED);
    Path relative = Path.of("").toAbsolutePath().relativize(stopped.toRealPath());
    try (var logs = Files.list(relative)) {
      String retried = weir("eval-retry", logs.findFirst().orElseThrow(), "-M", "credit=0").out();
      assertThat(score(retried)).isEqualTo(score(table)).matches("0\\.[78].*");
      assertThat(retried).as("as it was given").contains("Log: " + relative);
    }
    undisturbed[5] = 1;
    assertThat(score(weir(undisturbed).out())).as("one epoch").isNotEqualTo(score(table));
  }

  private static String score(String table) {
    Matcher score = Pattern.compile("0\\.\\d{3} \\[[^]]*]").matcher(table);
    assertThat(score.find()).isTrue();
    return score.group();
  }

  @Test
  void longNamesDoNotMoveTheColumnsOfAList() throws Exception {
    Path task = directory.resolve("long.yaml");
    String name = "Comparing answers at different temperatures, which are three: low";
    Files.writeString(
        task,
        "task: '%s'\ndataset: [{input: x, target: y}]\nsolver: generate\nscorer: exact\n"
            .formatted(name));
    String model = "sim/a-model-with-a-name-that-is-long:accuracy=1,latency=1ms,rpm=0";
    assertThat(weir("eval", task, "--model", model, "--log-dir", logs()).code()).isZero();
    List<String> lines = weir("log", "list", logs()).out().lines().toList();
    assertThat(lines).hasSize(2);
    assertThat(lines.getLast().indexOf(logs().toString()))
        .isEqualTo(lines.getFirst().indexOf("file"));
    assertThat(lines.getLast()).contains(": low  ");
  }

  @Test
  void exitCodesTellHowItEnded() throws Exception {
    Said refused = weir("eval", CAPITALS, "-M", "credit=10", "--log-dir", logs());
    assertThat(refused.code()).isEqualTo(ExitCode.REFUSED);
    assertThat(refused.out())
        .contains("The run ended early: sample", "credit of 10 requests", "were not finished")
        .contains("; mean score over all that ended, failed ones as 0: ");
    Said failed =
        weir(
            "eval",
            CAPITALS,
            "-M",
            "error-rate=0.1",
            "--max-retries",
            0,
            "--continue-on-fail",
            "--log-dir",
            logs());
    assertThat(failed.out()).contains("; mean score over all samples, failed ones as 0: ");
  }

  @Test
  void badInputIsToldInASentenceAndNothingIsWritten() throws Exception {
    Path broken = directory.resolve("broken.yaml");
    Files.writeString(broken, "task: [\n");
    Path nameless = directory.resolve("nameless.yaml");
    Files.writeString(nameless, Files.readString(CAPITALS).replace("model: sim/demo", ""));
    Files.copy(CAPITALS.resolveSibling("capitals.csv"), directory.resolve("capitals.csv"));
    Map<Said, String> all =
        Map.of(
            weir("eval", directory.resolve("no.yaml"), "--log-dir", logs()), "no such file",
            weir("eval", broken, "--log-dir", logs()), "broken.yaml, line 2, column 1",
            weir("eval", nameless, "--log-dir", logs()), "no model is given; use --model",
            weir("eval", CAPITALS, "--model", "smi/demo", "--log-dir", logs()),
                "did you mean 'sim'?",
            weir("eval", CAPITALS, "--limit", "0", "--log-dir", logs()),
                "--limit must be a whole number, at least 1, or a range such as 11-20"
                    + " with the smaller first, was"
                    + " '0'",
            weir("eval", CAPITALS, "--limit", "3000000000", "--log-dir", logs()),
                "--limit must be a whole number from 1 to 2147483647",
            weir("eval", CAPITALS, "-M", "speed=1", "--log-dir", logs()), "no argument 'speed'",
            weir("eval"), "TASK");
    all.forEach(
        (said, explanation) -> {
          assertThat(said.code()).as(explanation).isEqualTo(ExitCode.USAGE);
          assertThat(said.out()).as(explanation).isEmpty();
          assertThat(said.err()).startsWith("weir: ").contains(explanation).doesNotContain("\tat ");
          assertThat(said.err().lines().count()).as(said.err()).isLessThanOrEqualTo(2);
        });
    assertThat(logs()).doesNotExist();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--seed x       | --seed must be a whole number of at most 64 bits, was 'x'",
        "--limit ten    | --limit must be a whole number, at least 1, or a range such as"
            + " 11-20 with the smaller first, was 'ten'",
        "--limit 3-2    | or a range such as 11-20 with the smaller first, was '3-2'",
        "-M a           | -M must be of the form key=value, for example accuracy=0.6, was 'a'",
        "-M =1          | -M must be of the form key=value",
        "--log-dir=     | --log-dir must be a path, was ''",
        "--json=maybe   | --json must be true or false, was 'maybe'",
        "-M latency=99999999999m | `latency` must be a duration such as 250ms, 1.5s, 2m or 1h, at"
            + " most 24h",
        "--max-connections 0     | --max-connections must be a whole number, at least 1,"
            + " was '0'",
        "--concurrency-mode fast | --concurrency-mode must be one of static, aimd, halving, pace,"
            + " was 'fast'",
        "--adaptive-connections 9-4 | --adaptive-connections must be true, false, a maximum such as"
            + " 80",
        "--rpm 0                 | --rpm must be a number per minute from 0.001 to 1e11, was '0'",
        "--delay soon            | --delay must be a duration such as 250ms, 1.5s, 2m or 1h, was"
            + " 'soon'",
        "--max-retries -1        | --max-retries must be a whole number, at least 0, was" + " '-1'",
        "-M rpm=1e-9,burst=1     | `rpm` must be a number from 0.001 to 1e9",
      })
  void wordsThatMakeNoValueAreToldWithTheOption(String words, String explanation) throws Exception {
    List<Object> arguments = new ArrayList<>(List.of("eval", CAPITALS));
    arguments.addAll(List.of(words.split(" ")));
    Said said = weir(arguments.toArray());
    assertThat(said.code()).isEqualTo(ExitCode.USAGE);
    assertThat(said.err()).startsWith("weir: ").contains(explanation).doesNotContain("Invalid");
  }

  @Test
  void pathsThatNameNoFileAreTold() throws Exception {
    assertThat(weir("eval", "").err()).contains("TASK must not be empty");
    Said said = weir("eval", directory);
    assertThat(said.code()).isEqualTo(ExitCode.USAGE);
    assertThat(said.err()).contains("there is no task in this directory");
  }

  @Test
  void textFromFilesCannotSteerTheTerminal() throws Exception {
    String steering = "{id: \"a\\e[2Jb\\nc\", input: x, target: y}";
    Path task = directory.resolve("task.yaml");
    String rest = "\nsolver: generate\nscorer: exact\nmodel: \"sim/\\e[31m\"\n";
    Files.writeString(task, "task: t\ndataset: [" + steering + ", {input: z, target: y}]" + rest);
    Said said = weir("eval", task, "-M", "credit=1,latency=9s", "--log-dir", logs());
    assertThat(said.code()).isEqualTo(ExitCode.REFUSED);
    assertThat(said.out()).contains("sim/�[31m").doesNotContain("\u001b");
    assertThat(said.err()).contains("t on sim/�[31m").doesNotContain("\u001b");
    Files.writeString(task, "task: t\ndataset: [" + steering + ", " + steering + "]" + rest);
    Said twice = weir("eval", task, "--log-dir", logs());
    assertThat(twice.code()).isEqualTo(ExitCode.USAGE);
    assertThat(twice.err()).contains("the id 'a�[2Jb c' is taken by").doesNotContain("\u001b");
  }

  @Test
  void theExactScorerIsForSimulatedModelsToo() throws Exception {
    Path task = directory.resolve("exact.yaml");
    Files.copy(CAPITALS.resolveSibling("capitals.csv"), directory.resolve("capitals.csv"));
    Files.writeString(task, Files.readString(CAPITALS).replace("includes", "exact"));
    assertThat(weir("eval", task, "-M", "accuracy=1", "--log-dir", logs()).out()).contains("1.000");
  }

  @Test
  void digitsAreTheSameInEveryCountry() throws Exception {
    Said here = weir("eval", CAPITALS, "--seed", 7, "--log-dir", directory.resolve("here"));
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.of("ar", "EG"));
    try {
      Said there = weir("eval", CAPITALS, "--seed", 7, "--log-dir", directory.resolve("there"));
      assertThat(there.out().replace("there", "here")).isEqualTo(here.out());
      assertThat(there.err()).isEqualTo(here.err());
      terminal = true;
      assertThat(
              weir("eval", CAPITALS, "-M", "credit=10,latency=9s", "--log-dir", logs()).toString())
          .doesNotContainPattern("[\\p{Nd}&&[^0-9]]");
    } finally {
      Locale.setDefault(before);
    }
  }

  @Test
  void typosGetASuggestion() throws Exception {
    assertThat(weir("evla").err()).contains("there is no command 'evla'; did you mean 'eval'?");
    assertThat(weir("eval", CAPITALS, "--max-conections=4").err())
        .contains("there is no option '--max-conections'; did you mean '--max-connections'?");
    assertThat(weir("help", "evl").err()).contains("did you mean 'eval'?");
  }

  @Test
  void stackTracesAreForDebugging() throws Exception {
    assertThat(weir("eval", directory.resolve("no.yaml"), "--debug").err()).contains("\tat ");
    assertThat(weir("eval", CAPITALS, "--no-such", "--debug").err()).contains("\tat ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"eval", "simulate", "bench", "completion", "help"})
  void eachCommandHasHelpWithExamples(String command) throws Exception {
    Said said = weir(command, "--help");
    assertThat(said.code()).isZero();
    assertThat(said.out()).contains("Usage: weir " + command, "Examples:", "  weir ");
    assertThat(weir("help", command).out()).isEqualTo(said.out());
    assertThat(weir("--help").out()).contains(command);
  }

  @Test
  void helpNamesDefaultsAndExitCodes() throws Exception {
    assertThat(weir("eval", "--help").out().replaceAll("\\s+", " "))
        .contains("Default: 10", "Default: ./logs", "the command line and the environment");
    assertThat(weir("--help").out()).contains("130   interrupted");
    assertThat(weir("--version").out()).startsWith("weir ");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--port 70000             | --port must be a whole number from 0 to 65535, was '70000'",
        "--port x                 | --port must be a whole number from 0 to 65535, was 'x'",
        "--host=                  | --host must not be empty",
        "--profile openai-teir-1  | there is no profile 'openai-teir-1'; did you mean"
            + " 'openai-tier-1'?",
        "--rpm many               | --rpm must be a number of at least 0, was 'many'",
        "--outage 1s+1s,3s        | --outage must be of the form FROM+LENGTH, for example 30s+10s,"
            + " was '3s'",
        "--headers openia         | --headers does not know 'openia'; did you mean 'openai'?",
        "--answers no.jsonl       | --answers: there is no file no.jsonl",
        "--rmp 5                  | there is no option '--rmp'; did you mean '--rpm'?",
      })
  void wrongSimulationsAreToldBeforeAnythingIsServed(String words, String explanation)
      throws Exception {
    List<Object> arguments = new ArrayList<>(List.of("simulate"));
    arguments.addAll(List.of(words.split(" ")));
    Said said = weir(arguments.toArray());
    assertThat(said.code()).isEqualTo(ExitCode.USAGE);
    assertThat(said.out()).isEmpty();
    assertThat(said.err()).startsWith("weir: ").contains(explanation);
  }

  @Test
  void settingsOfASimulationMayStandInTheEnvironment() throws Exception {
    environment.put("WEIR_SIMULATE_HIDDEN_RPM", "x");
    assertThat(weir("simulate").err()).contains("WEIR_SIMULATE_HIDDEN_RPM must be a number");
    environment.put("WEIR_SIMULATE_HIDDEN_RPM", "");
    environment.put("WEIR_SIMULATE_LIMIT_CHANGE", "1s:2,1s");
    assertThat(weir("simulate").err())
        .contains("WEIR_SIMULATE_LIMIT_CHANGE must be of the form AT:FACTOR");
    environment.put("WEIR_SIMULATE_PORT", "x");
    assertThat(weir("simulate", "--limit-change", "1s:2").err())
        .contains("WEIR_SIMULATE_PORT must be");
    environment.put("WEIR_SIMULATE_PROFILE", "nothing");
    assertThat(weir("simulate").err()).contains("there is no profile 'nothing'");
  }

  @Test
  void profilesAreListedWithSourceAndDate() throws Exception {
    Said said = weir("simulate", "--list-profiles");
    assertThat(said.code()).isZero();
    assertThat(said.out())
        .contains("openai-tier-1        500          30000", "self-hosted", "32:queue", "https://")
        .containsPattern("anthropic-scale .* 2026-10-17");
    JsonNode documents =
        new JsonMapper().readTree(weir("simulate", "--list-profiles", "--json").out());
    assertThat(documents.get(0).get("settings").get("rpm").asString()).isEqualTo("500");
    assertThat(documents.get(0).get("notes").asString()).contains("Assumptions");
  }

  @Test
  void advertisementsAreListedInOneLineEach() throws Exception {
    Said said = weir("simulate", "--list-advertisements");
    assertThat(said.code()).isZero();
    assertThat(said.out().lines()).hasSize(21).allMatch(line -> line.length() <= 100);
    assertThat(said.out()).contains("openai-rate     OpenAI's names; limit is the rate per minute");
    JsonNode documents =
        new JsonMapper().readTree(weir("simulate", "--list-advertisements", "--json").out());
    assertThat(documents.get(0).get("advertisement").asString()).isEqualTo("none");
    assertThat(documents.get(0).get("usable").asBoolean()).isFalse();
  }

  @Test
  void completionKnowsCommandsAndOptions() throws Exception {
    assertThat(weir("completion").out())
        .contains("--max-connections", "eval", "--hidden-rpm", "complete -F");
  }

  @Test
  void benchSaysHowToGetBenchmarks() throws Exception {
    Said said = weir("bench");
    assertThat(said.code()).isEqualTo(ExitCode.USAGE);
    assertThat(said.err()).contains("./weir bench");
  }

  @Test
  void aloneItTellsWhatThereIs() throws Exception {
    Said said = weir();
    assertThat(said.code()).isEqualTo(ExitCode.USAGE);
    assertThat(said.err().lines())
        .contains(
            "  eval        Run tasks against models and report scores",
            "  eval-set    Run a set of tasks, skipping what is already done",
            "  weir eval examples/capitals.yaml")
        .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
  }

  @Test
  void anOptionWithoutItsValueSaysWhatItTakes() throws Exception {
    for (String[] rest : new String[][] {{}, {"--limit", "2"}}) {
      List<Object> words = new ArrayList<>(List.of("eval", CAPITALS, "--rehearse"));
      words.addAll(List.of(rest));
      Said said = weir(words.toArray());
      assertThat(said.code()).isEqualTo(ExitCode.USAGE);
      assertThat(said.err())
          .startsWith("weir: --rehearse needs a value, PROFILE; there are: openai-tier-1, ")
          .contains("anthropic-tier-1");
    }
    assertThat(weir("eval", CAPITALS, "--model").err())
        .startsWith("weir: --model needs a value, PROVIDER/MODEL\n");
  }

  @Test
  void examplesFitTheirLineOrGoOnAsAShellReadsThem() throws Exception {
    for (String command :
        List.of("eval", "eval-set", "eval-retry", "select", "score", "simulate")) {
      String help = weir(command, "--help").out();
      List<String> examples = help.substring(help.indexOf("Examples:")).lines().skip(1).toList();
      assertThat(examples)
          .as(command)
          .isNotEmpty()
          .allSatisfy(
              line -> assertThat(line).hasSizeLessThanOrEqualTo(80).matches("  (?:    )?\\S.*"));
      for (int i = 1; i < examples.size(); i++) {
        assertThat(examples.get(i - 1).endsWith(" \\"))
            .as(examples.get(i))
            .isEqualTo(examples.get(i).startsWith("      "));
      }
    }
    assertThat(Examples.broken("  weir a '" + "b ".repeat(40) + "' c"))
        .as("what is quoted stays together")
        .containsExactly("  weir a \\", "      '" + "b ".repeat(40) + "' c");
  }

  @Test
  void twoTasksCannotBothReadStandardInput() throws Exception {
    Path first = directory.resolve("first.yaml");
    Files.writeString(
        first,
        """
        task: first
        dataset: {file: "-", format: csv}
        solver: generate
        scorer: includes
        model: sim/demo
        """);
    Path second = directory.resolve("second.yaml");
    Files.writeString(second, Files.readString(first).replace("first", "second"));
    InputStream before = System.in;
    System.setIn(new ByteArrayInputStream("input,target\na,b\n".getBytes(UTF_8)));
    try {
      Said said = weir("eval", first, second, "--dry-run");
      assertThat(said.code()).isEqualTo(ExitCode.USAGE);
      assertThat(said.err())
          .contains(
              "second.yaml, line 2, column 17", "standard input is the dataset of another task");
    } finally {
      System.setIn(before);
    }
  }
}
