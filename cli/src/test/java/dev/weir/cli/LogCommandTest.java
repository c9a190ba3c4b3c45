package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.log.LogFiles;
import dev.weir.log.RunLog;
import dev.weir.log.RunLogReader;
import dev.weir.log.RunStart;
import dev.weir.log.SampleResult;
import dev.weir.log.journal.JournalListener;
import dev.weir.log.journal.JournalReader;
import dev.weir.time.Time;
import dev.weir.time.virtual.VirtualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** {@code weir log} as a user meets it. */
class LogCommandTest {

  private static final Path ROOT =
      Path.of(System.getProperty("weir.root", "..")).toAbsolutePath().normalize();

  private static final Path INSPECT = ROOT.resolve("log/src/test/resources/dev/weir/log/inspect");

  @TempDir Path directory;

  private final VirtualTime time = VirtualTime.seeded(1);
  private final Map<String, String> environment = new HashMap<>();
  private Path logs = Path.of("");
  private Path log = Path.of("");

  private Spoken weir(Object... words) throws Exception {
    return time.run(() -> Spoken.of(time, environment, words));
  }

  @BeforeEach
  void evaluate() throws Exception {
    environment.put("HOME", directory.toString());
    logs = directory.resolve("logs");
    environment.put("WEIR_LOG_DIR", logs.toString());
    log = Path.of(evaluated("--limit", 4).json().get("log").asString());
  }

  private Spoken evaluated(Object... options) throws Exception {
    Object[] words = new Object[options.length + 5];
    words[0] = "eval";
    words[1] = ROOT.resolve("examples/capitals.yaml");
    words[2] = "--json";
    words[3] = "--seed";
    words[4] = 7;
    System.arraycopy(options, 0, words, 5, options.length);
    return weir(words);
  }

  /** What a run leaves that is killed after two of its samples. */
  private Path killed() throws IOException {
    try (var reader = RunLogReader.open(log)) {
      RunStart start = reader.start();
      SampleResult first = reader.sample().orElseThrow();
      SampleResult second = reader.sample().orElseThrow();
      Files.move(log, directory.resolve("first.eval"));
      try (var journal = RunLog.begin(Time.system(), logs, start, JournalListener.NONE)) {
        journal.append(first);
        journal.append(second);
        return journal.file();
      }
    }
  }

  @Test
  void listsLogsWithWhatIsKnownOfThem() throws Exception {
    Files.writeString(logs.resolve("broken.eval"), "?");
    Spoken said = weir("log", "list", "--status", "success,unreadable");
    assertThat(said.code()).isZero();
    assertThat(said.out())
        .contains("time ", "status ", "success ", "capitals ", "sim/demo ", " 4/4 ")
        .contains("unreadable", "broken.eval");
    JsonNode entries = weir("log", "list", logs, "--json", "--status", "success").json();
    assertThat(entries.size()).isEqualTo(1);
    assertThat(entries.get(0).path("file").asString()).isEqualTo(log.toString());
    assertThat(entries.get(0).path("done").asInt()).isEqualTo(4);
    assertThat(weir("log", "list", "--status", "killed").out()).contains("There are no such logs");
  }

  @Test
  void dumpsWhatInspectWouldRead() throws Exception {
    JsonNode whole = weir("log", "dump", log, "--json").json();
    assertThat(whole.path("samples").size()).isEqualTo(4);
    assertThat(whole.path("results").path("completed_samples").asInt()).isEqualTo(4);
    assertThat(weir("log", "dump", log, "--header-only").json().has("samples")).isFalse();
    String id = whole.path("samples").get(2).path("id").asString();
    assertThat(weir("log", "dump", log, "--sample", id).json().path("id").asString()).isEqualTo(id);
  }

  @Test
  void theCallsOfAnAgentAreInTheDump() throws Exception {
    Spoken run =
        Spoken.of(environment, "eval", ROOT.resolve("examples/agent-files.yaml"), "--json");
    Path agent = Path.of(run.json().path("log").asString());
    JsonNode sample = weir("log", "dump", agent, "--json").json().path("samples").get(0);
    List<String> events =
        sample.path("events").valueStream().map(event -> event.path("event").asString()).toList();
    assertThat(events).contains("sample_init", "model", "tool", "score", "info");
    assertThat(sample.path("events_data").path("messages").size()).isPositive();
  }

  @Test
  void convertsThereAndBack() throws Exception {
    Spoken said = weir("log", "convert", log, "--to", "json");
    Path json = LogFiles.named(log, ".json");
    assertThat(said.out().strip()).isEqualTo(json.toString());
    Path back = directory.resolve("back.eval");
    assertThat(weir("log", "convert", json, "--output", back).code()).isZero();
    assertThat(weir("log", "dump", back, "--json").out())
        .isEqualTo(weir("log", "dump", log, "--json").out());
    assertThat(weir("log", "convert", log, "--to", "json").err())
        .contains("already exists; --overwrite replaces it");
    assertThat(weir("log", "convert", log, "--to", "json", "--overwrite").code()).isZero();
  }

  @Test
  void recoversWhatAKilledRunLeft() throws Exception {
    Path journal = killed();
    assertThat(weir("log", "list").out()).contains("killed", " 2/4 ");
    assertThat(weir("log", "recover", "--list").out()).contains("killed", "2 of 4 samples");
    assertThat(journal).exists();
    Spoken said = weir("log", "recover");
    assertThat(said.out()).contains("recovered 2 of 4 samples");
    assertThat(journal).doesNotExist();
    assertThat(weir("log", "recover").out()).contains("There is nothing to recover.");
    Spoken again = weir("log", "recover", journal);
    assertThat(again.code()).isEqualTo(2);
    assertThat(again.err()).contains("was recovered already: the log is ");
  }

  @Test
  void aNewRunRecoversFirstAndARetryFindsWhatItNamed() throws Exception {
    Path journal = killed();
    Spoken next = evaluated("--limit", 1);
    assertThat(next.code()).isZero();
    assertThat(next.err())
        .containsPattern(
            "(\\S+\\.eval): recovered 2 of 4 samples of a run that was killed; to resume it: weir"
                + " eval-retry \\1");
    assertThat(journal).doesNotExist();
    assertThat(next.json().path("log").asString()).isNotEmpty();
    Spoken retried = weir("eval-retry", journal, "--json");
    assertThat(retried.err()).contains("reusing 2 finished samples, running 2");
    assertThat(retried.code()).isZero();
    assertThat(retried.json().path("samples").path("scored").asInt()).isEqualTo(4);
  }

  @Test
  void exportsInEachFormat() throws Exception {
    assertThat(weir("log", "export", log, "--format", "csv").out().lines().count()).isEqualTo(5);
    assertThat(weir("log", "export", log, "--format", "json").json().size()).isEqualTo(4);
    assertThat(weir("log", "export", log, "--format", "junit").out())
        .contains("<testsuite name=\"capitals on sim/demo\" tests=\"4\"");
    Path page = directory.resolve("page.html");
    assertThat(weir("log", "export", log, "--format", "html", "--output", page).out()).isEmpty();
    assertThat(page)
        .content()
        .startsWith("<!doctype html>")
        .endsWith("</html>\n")
        .containsPattern("began \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d UTC</small>")
        .doesNotContainPattern("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:");
    Files.writeString(page, "mine");
    Spoken again = weir("log", "export", log, "--format", "html", "--output", page);
    assertThat(again.code()).isEqualTo(ExitCode.USAGE);
    assertThat(again.err()).contains("page.html already exists; --overwrite replaces it");
    assertThat(page).hasContent("mine");
    weir("log", "export", log, "--format", "html", "--output", page, "--overwrite");
    assertThat(page).content().startsWith("<!doctype html>");
    assertThat(weir("log", "export", killed(), "--format", "junit").out())
        .contains("the run was killed before its end");
  }

  @Test
  void anExportThatCannotBeWrittenNamesItsFileAndLeavesNothingTorn() throws Exception {
    Path full = Path.of("/dev/full");
    Spoken failed = weir("log", "export", log, "--format", "html", "--output", full);
    assertThat(failed.code()).isEqualTo(ExitCode.FAILED);
    assertThat(failed.err()).contains("/dev/full: No space left on device");

    Path page = directory.resolve("page.html");
    Files.writeString(page, "mine");
    Spoken damaged =
        weir("log", "export", damaged(), "--format", "html", "--output", page, "--overwrite");
    assertThat(damaged.code()).isEqualTo(ExitCode.FAILED);
    assertThat(page).content().as("what is whole").endsWith("</html>\n");
    assertThat(directory).isDirectoryNotContaining("glob:**.partial");
  }

  /** Of its two samples, the second has a flipped bit. */
  private Path damaged() throws IOException {
    Path journal = killed();
    byte[] bytes = Files.readAllBytes(journal);
    try (var reader = JournalReader.open(journal)) {
      bytes[(int) reader.last(2).orElseThrow().offset() + 500] ^= 1;
    }
    return Files.write(journal, bytes);
  }

  @Test
  void whatIsDamagedIsToldAndTheRestIsWritten() throws Exception {
    Path journal = damaged();
    Spoken dumped = weir("log", "dump", journal, "--json");
    assertThat(dumped.json().path("samples")).hasSize(1);
    Spoken csv = weir("log", "export", journal, "--format", "csv");
    assertThat(csv.out().lines()).hasSize(2);
    Spoken junit = weir("log", "export", journal, "--format", "junit");
    assertThat(junit.out()).endsWith("</testsuites>");
    Path page = directory.resolve("page.html");
    Spoken html = weir("log", "export", journal, "--format", "html", "--output", page);
    assertThat(page).content().endsWith("</html>\n");
    Path copy = directory.resolve("copy.eval");
    Spoken converted = weir("log", "convert", journal, "--output", copy);
    Path document = directory.resolve("copy.json");
    Spoken toJson = weir("log", "convert", journal, "--output", document);
    assertThat(List.of(dumped, csv, junit, html, converted, toJson))
        .allSatisfy(
            said -> {
              assertThat(said.code()).isEqualTo(1);
              assertThat(said.err().lines()).hasSize(1);
              assertThat(said.err()).contains("weir: " + journal, "expected checksum", "found");
            });
    for (Path written : List.of(copy, document)) {
      Spoken again = weir("log", "dump", written, "--json");
      assertThat(again.code()).isZero();
      assertThat(again.json().path("samples")).hasSize(1);
    }
  }

  @Test
  void anEmptyJournalIsSaidToBeEmpty() throws Exception {
    Path empty = Files.createFile(directory.resolve("2026-11-15T10-11-12_empty_k3.journal"));
    for (String command : List.of("dump", "convert")) {
      Spoken said = weir("log", command, empty);
      assertThat(said.code()).isNotZero();
      assertThat(said.err())
          .contains(empty + " is empty: the run was killed before its first call")
          .doesNotContain("whole samples");
    }
    Spoken recovered = weir("log", "recover", empty);
    assertThat(recovered.code()).isZero();
    assertThat(recovered.out()).contains("nothing to keep");
  }

  @Test
  void aTornTailIsNothingLost() throws Exception {
    Path journal = killed();
    byte[] whole = Files.readAllBytes(journal);
    Files.write(journal, Arrays.copyOf(whole, whole.length - 5));
    assertThat(weir("log", "recover", "--no-cleanup", journal).code()).isZero();
    Spoken recovered = weir("log", "recover", journal);
    assertThat(recovered.out()).contains("torn tail");
    assertThat(recovered.code()).isZero();
  }

  @Test
  void aDamagedJournalIsKeptWhenItIsRecovered() throws Exception {
    Path journal = damaged();
    byte[] bytes = Files.readAllBytes(journal);
    Path kept = journal.resolveSibling(journal.getFileName() + ".damaged");
    assertThat(weir("log", "recover", "--no-cleanup").code()).isEqualTo(1);
    Spoken recovered = weir("log", "recover");
    assertThat(recovered.code()).as("something is lost").isEqualTo(1);
    assertThat(recovered.out()).contains("recovered 1 of", "expected checksum", "kept as " + kept);
    assertThat(journal).doesNotExist();
    assertThat(kept).hasBinaryContent(bytes);
    assertThat(weir("log", "recover").out()).contains("nothing to recover");

    // A new run does the same, and takes no name from another.
    Files.write(journal, bytes);
    assertThat(evaluated("--limit", 1).err()).contains("kept as " + kept + "-2");
    assertThat(weir("log", "dump", kept, "--json").json().path("samples")).hasSize(1);
  }

  @Test
  void printsTheSchema() throws Exception {
    assertThat(weir("log", "schema").json().path("components").path("schemas").has("EvalSample"))
        .isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "epochs.eval",
        "errors.eval",
        "limits.eval",
        "tools.eval",
        "epochs.json",
        "log_formats.eval",
        "log_streaming.eval",
        "mmlu-summary-choices.eval"
      })
  void logsOfInspectAreScoredAgain(String name) throws Exception {
    Path scored = directory.resolve("scored.eval");
    Spoken said =
        weir("score", INSPECT.resolve(name), "--scorer", "includes", "--output-file", scored);
    assertThat(said.err()).isEmpty();
    assertThat(said.code()).isZero();
    int samples = 0;
    try (var reader = RunLogReader.open(scored)) {
      for (Optional<SampleResult> next = reader.sample();
          next.isPresent();
          next = reader.sample()) {
        samples++;
        if (next.get().hasFinished()) {
          assertThat(next.get().scores()).containsKey("includes");
        }
      }
    }
    JsonNode before = weir("log", "dump", INSPECT.resolve(name), "--json").json();
    assertThat(samples).isEqualTo(before.path("samples").size()).isPositive();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "log; no command is given; there are list, show",
        "log lsit; there is no command 'lsit'; did you mean 'list'?",
        "log list nowhere; there is no directory nowhere",
        "log list --status killd; there is no status 'killd'; did you mean 'killed'?",
        "log dump nowhere.eval; there is no log nowhere.eval",
        "log dump LOG --epoch 2; --epoch is of one sample",
        "log dump LOG --sample atlantis; has no sample 'atlantis' of epoch 1",
        "log dump LOG --sample a --header-only; exclude each other",
        "log convert LOG; is such a log already; choose another form with --to",
        "log convert LOG --to yaml; --to must be eval or json, was 'yaml'",
        "log convert LOG LOG --output x.json; --output is for one log, and 2 are given",
        "log recover LOG; is not a journal: the name of one ends with .journal",
        "log recover nowhere.journal; there is no journal nowhere.journal",
        "log export LOG --format cvs; there is no format 'cvs'; did you mean 'csv'?",
        "log export LOG; --format must be given, csv|json|junit|html",
        "log export LOG LOG --format html; --format html takes one log, and 2 are given",
        "log export LOG --format csv --output x.eval; which an export must not replace",
      })
  void saysWhatCannotBeUsed(String line) throws Exception {
    String[] parts = line.split("; ", 2);
    Object[] words = parts[0].replace("LOG", log.toString()).split(" ");
    Spoken said = weir(words);
    assertThat(said.err()).contains(parts[1]);
    assertThat(said.code()).isEqualTo(2);
    assertThat(said.out()).isEmpty();
  }

  @Test
  void aBrokenLogIsAClearError() throws Exception {
    Path broken = Files.writeString(directory.resolve("broken.eval"), "no log");
    for (String command : List.of("dump", "convert")) {
      Spoken said = weir("log", command, broken);
      assertThat(said.code()).isEqualTo(2);
      assertThat(said.err()).startsWith("weir: the log cannot be read: ").contains("broken.eval");
    }
  }

  @Test
  void whatIsNoObjectIsNotTakenForAZipFile() throws Exception {
    Path list = Files.writeString(directory.resolve("bad.json"), "[1,2");
    assertThat(weir("log", "dump", list).err())
        .contains("bad.json is not the log of an evaluation: a log in JSON is an object");
  }

  @Test
  void aPlaceThatTakesNoFileIsNamedAsItWasGiven() throws Exception {
    Path nowhere = directory.resolve("nowhere/x.eval");
    for (Path place : List.of(nowhere, LogFiles.named(nowhere, ".json"))) {
      Spoken said = weir("log", "convert", log, "--output", place);
      assertThat(said.code()).isEqualTo(ExitCode.USAGE);
      assertThat(said.err())
          .startsWith("weir: %s cannot be written: no file can be made there".formatted(place))
          .doesNotContain("partial", "Exception");
    }
  }

  @Test
  void whoGivesADirectoryToRecoverIsToldHow() throws Exception {
    assertThat(weir("log", "recover", logs).err())
        .contains("is a directory; `weir log recover --log-dir " + logs);
  }

  @Test
  void helpHasExamples() throws Exception {
    for (String command : List.of("list", "dump", "convert", "recover", "export", "schema")) {
      assertThat(weir("log", command, "--help").out()).contains("Examples:", "weir log " + command);
    }
  }
}
