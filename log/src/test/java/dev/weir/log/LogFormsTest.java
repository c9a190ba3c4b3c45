package dev.weir.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.log.inspect.Cursor;
import dev.weir.log.inspect.InspectLog;
import dev.weir.log.inspect.InspectSample;
import dev.weir.log.journal.JournalListener;
import dev.weir.time.Time;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.json.JsonReadFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The same log as a journal, an {@code .eval} file, one document and a table. */
class LogFormsTest {

  private static final JsonMapper JSON =
      JsonMapper.builder().enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS).build();

  @TempDir Path directory;

  private Path copy(String log) throws IOException {
    Path file = directory.resolve(log);
    try (InputStream in = LogFormsTest.class.getResourceAsStream("inspect/" + log)) {
      Files.copy(Objects.requireNonNull(in), file);
    }
    return file;
  }

  private Path journal() throws IOException, InterruptedException {
    try (var log =
        RunLog.begin(
            Time.system(), directory, LogFixtures.start("<capitals>"), JournalListener.NONE)) {
      log.append(LogFixtures.sample("Is \"it\",\nor <b>not</b>?"));
      log.append(new LimitChange(LogFixtures.STARTED, "sim/demo", 8, 4, "overload"));
      log.append(new Reduced("includes", "mean", List.of(new Reduced.Value("a", 0.5))));
      log.append(new Reduced("includes", "max", List.of(new Reduced.Value("a", 1))));
      return log.file();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "epochs.eval",
        "errors.eval",
        "failed.eval",
        "limits.eval",
        "started.eval",
        "tools.eval",
        "log_formats.eval",
        "log_streaming.eval",
        "mmlu-summary-choices.eval"
      })
  void nothingIsLostFromEvalToJsonAndBack(String name) throws Exception {
    Path log = copy(name);
    Path json = directory.resolve("as.json");
    LogFiles.toJson(log, json);
    Path back = directory.resolve("back.eval");
    LogFiles.toEval(json, back);
    assertThat(samples(json)).isEqualTo(samples(log)).isNotEmpty();
    assertThat(samples(back)).isEqualTo(samples(log));
    assertThat(header(json)).isEqualTo(header(log));
    assertThat(header(back)).isEqualTo(header(log));
    try (var one = InspectLog.open(log);
        var other = InspectLog.open(back)) {
      assertThat(other.reductionsJson().map(JSON::readTree))
          .isEqualTo(one.reductionsJson().map(JSON::readTree));
    }
    assertThat(directory).isDirectoryNotContaining("glob:**.partial");
  }

  private static List<JsonNode> samples(Path log) throws IOException {
    List<JsonNode> all = new ArrayList<>();
    try (var reader = InspectLog.open(log);
        Cursor<InspectSample> samples = reader.samples()) {
      for (InspectSample next = samples.next(); next != null; next = samples.next()) {
        all.add(JSON.readTree(next.json()));
      }
    }
    return all;
  }

  private static JsonNode header(Path log) throws IOException {
    try (var reader = InspectLog.open(log)) {
      return JSON.readTree(reader.headerJson());
    }
  }

  @Test
  void theSamplesOfAJournalAreDumpedAsTheyStandThere() throws Exception {
    // Written again, parts of a microsecond would be cut off once more.
    ObjectNode parts = LogJson.LINES.valueToTree(LogFixtures.sample("?"));
    parts.put("started", "2026-11-15T10:11:12.500000900Z");
    ((ObjectNode) parts.path("times")).put("total", 0.000_000_4);
    SampleResult sample = LogJson.LINES.treeToValue(parts, SampleResult.class);
    Path file;
    try (var log =
        RunLog.begin(Time.system(), directory, LogFixtures.start("c"), JournalListener.NONE)) {
      log.append(sample);
      file = log.file();
    }
    String written = new String(InspectSampleWriter.whole(sample, SampleIds.NONE).json(), UTF_8);
    assertThat(dump(file, false, false)).contains("\"samples\":[" + written + "]");
    var one = new StringWriter();
    assertThat(EvalLogJson.writeSample(file, "a", 1, one, false)).isTrue();
    assertThat(one).hasToString(written);
  }

  @Test
  void aDumpIsTheSameIndentedOrNot() throws Exception {
    for (Path log : List.of(copy("tools.eval"), journal())) {
      JsonNode dense = JSON.readTree(dump(log, false, false));
      assertThat(JSON.readTree(dump(log, false, true))).isEqualTo(dense);
      assertThat(dense.path("samples").size()).isPositive();
      assertThat(dump(log, false, true).lines().count()).isGreaterThan(50);
      JsonNode header = JSON.readTree(dump(log, true, false));
      assertThat(header.has("samples")).isFalse();
      assertThat(header.path("eval")).isEqualTo(dense.path("eval"));
    }
  }

  private static String dump(Path log, boolean headerOnly, boolean indented) throws IOException {
    var out = new StringWriter();
    EvalLogJson.write(log, out, headerOnly, indented);
    return out.toString();
  }

  @Test
  void theDumpOfAJournalIsThatOfTheLogThatItBecomes() throws Exception {
    Path journal = journal();
    JsonNode dumped = JSON.readTree(dump(journal, false, false));
    Path eval = LogRecovery.recover(journal, true).log().orElseThrow();
    assertThat(JSON.readTree(dump(eval, false, false))).isEqualTo(dumped);
    assertThat(dumped.path("status").asString()).isEqualTo("error");
    assertThat(dumped.path("stats").path("connection_limit_history").size()).isEqualTo(1);
    assertThat(dumped.path("reductions").findValuesAsString("reducer"))
        .containsExactly("mean", "max");
    assertThat(dumped.path("reductions").path(0).path("samples").path(0).path("value").asDouble())
        .isEqualTo(0.5);
  }

  @Test
  void oneSampleIsFoundInEachForm() throws Exception {
    Path journal = journal();
    var ofJournal = new StringWriter();
    assertThat(EvalLogJson.writeSample(journal, "a", 1, ofJournal, false)).isTrue();
    assertThat(JSON.readTree(ofJournal.toString()).path("epoch").asInt()).isEqualTo(1);
    assertThat(EvalLogJson.writeSample(journal, "a", 2, new StringWriter(), false)).isFalse();
    var ofEval = new StringWriter();
    assertThat(EvalLogJson.writeSample(copy("tools.eval"), "sum", 1, ofEval, true)).isTrue();
    assertThat(JSON.readTree(ofEval.toString()).path("id").asString()).isEqualTo("sum");
  }

  @Test
  void timesThatAnOldLogDoesNotHaveAreEmptyInATable() throws Exception {
    var csv = new StringWriter();
    LogExport.csv(List.of(copy("log_streaming.eval")), csv);
    assertThat(List.of(csv.toString().split("\r\n", -1)))
        .hasSize(6)
        .element(4)
        .asString()
        .contains(" Yes\",Yes.,1,Yes.,,,0,66,2,66,2,,,,,,");
  }

  @Test
  void aTableDoesNotRuleTheTerminal() throws Exception {
    Path journal;
    try (var log =
        RunLog.begin(
            Time.system(), directory, LogFixtures.start("capitals"), JournalListener.NONE)) {
      log.append(LogFixtures.sample("\u001b]0;mine\u0007 \u009b2J\tä\n="));
      journal = log.file();
    }
    var csv = new StringWriter();
    LogExport.csv(List.of(journal), csv);
    assertThat(csv.toString()).contains("a,1,\"\ufffd]0;mine\ufffd \ufffd2J\tä\n=\",yes");
  }

  @Test
  void aTableHasARowForEachSample() throws Exception {
    Path journal = journal();
    var csv = new StringWriter();
    LogExport.csv(List.of(journal), csv);
    assertThat(csv.toString())
        .isEqualTo(
            "log,task,model,id,epoch,input,target,output,score:includes,explanation:includes,"
                + "error,limit,retries,input_tokens,output_tokens,input_tokens:evaluated,"
                + "output_tokens:evaluated,input_tokens:grader,output_tokens:grader,cost_usd,"
                + "started,completed,total_seconds,working_seconds,metadata:topic\r\n"
                + journal
                + ",<capitals>,sim/demo,a,1,\"Is \"\"it\"\",\nor <b>not</b>?\",yes,Yes.,1,"
                + "it is there,,token,2,10,4,10,4,0,0,0,"
                + "2026-11-15T10:11:12.500Z,2026-11-15T10:11:17.250Z,4.75,1,words\r\n");
    var json = new StringWriter();
    LogExport.json(List.of(journal), json);
    JsonNode rows = JSON.readTree(json.toString());
    assertThat(rows.size()).isEqualTo(1);
    assertThat(rows.get(0).path("score:includes").asInt()).isEqualTo(1);
    assertThat(rows.get(0).path("error").isNull()).isTrue();
    assertThat(rows.get(0).path("total_seconds").asDouble()).isEqualTo(4.75);
    assertThat(rows.get(0).path("explanation:includes").asString()).isEqualTo("it is there");
    assertThat(rows.get(0).path("input_tokens:grader").asInt(-1)).isZero();
    assertThat(rows.get(0).path("metadata:topic").asString()).isEqualTo("words");
  }

  @Test
  void severalLogsHaveTheColumnsOfAll() throws Exception {
    Path journal = journal();
    Path errors = copy("errors.eval");
    var json = new StringWriter();
    assertThat(LogExport.json(List.of(journal, errors), json)).isEmpty();
    JsonNode rows = JSON.readTree(json.toString());
    assertThat(rows.size()).isEqualTo(3);
    assertThat(rows.valueStream().map(row -> row.path("log").asString()))
        .containsExactly(journal.toString(), errors.toString(), errors.toString());
    assertThat(rows.get(1).has("metadata:topic")).isTrue();
    assertThat(rows.get(1).path("metadata:topic").isNull()).isTrue();
    var csv = new StringWriter();
    LogExport.csv(List.of(journal, errors), csv);
    assertThat(csv.toString().lines().filter(line -> line.startsWith("log,"))).hasSize(1);
  }

  @Test
  void aPageNeedsNothingElseAndRunsNothingOfTheLog() throws Exception {
    var page = new StringWriter();
    LogExport.html(journal(), page);
    assertThat(page.toString())
        .contains("&lt;capitals&gt; on sim/demo", "or &lt;b&gt;not&lt;/b&gt;?", "killed")
        .contains("prefers-color-scheme: dark", "Content-Security-Policy")
        .contains("<strong>1.000</strong> accuracy")
        .doesNotContain("<b>", "http://", "https://", "src=", "href=", "<script", "script-src");
  }

  @Test
  void aPageNamesTheIntervalAndItsMethod() throws Exception {
    RunStart start = LogFixtures.start("capitals");
    Path log;
    try (var journal = RunLog.begin(Time.system(), directory, start, JournalListener.NONE)) {
      journal.append(LogFixtures.sample("?"));
      journal.end(LogFixtures.result(start));
      log = journal.finish(LogFixtures.NOTHING_LOST);
    }
    var page = new StringWriter();
    LogExport.html(log, page);
    assertThat(page.toString())
        .contains("<strong>0.500</strong> accuracy")
        .contains("<p>95 % interval 0.250 to 0.750 (Wilson)</p>");
  }

  @Test
  void aPageHasFailuresFirstAndTheTranscriptOfEachSample() throws Exception {
    var page = new StringWriter();
    LogExport.html(copy("errors.eval"), page);
    assertThat(page.toString())
        .containsSubsequence(
            "<h2>Errors by kind</h2>",
            "<strong>1 ×</strong> ValueError(&#39;made to fail&#39;)",
            "<h2>Failed with an error <small>1</small></h2>",
            "<details class=\"sample error\"><summary><span class=\"id\">bad/one</span>",
            "<h2>Passed <small>1</small></h2>",
            "<details class=\"sample passed\"><summary><span class=\"id\">good</span>",
            "<div class=\"message user\">",
            "<div class=\"message assistant\">",
            "<div class=\"message score full\"><h3>score includes: 1.000</h3>");
    var tools = new StringWriter();
    LogExport.html(copy("tools.eval"), tools);
    assertThat(tools.toString()).contains("<p class=\"call\">→ <strong>", "message tool");
    var epochs = new StringWriter();
    LogExport.html(copy("epochs.eval"), epochs);
    assertThat(epochs.toString()).contains("<small>epoch 3</small>");
  }

  @ParameterizedTest
  @ValueSource(strings = {"epochs.eval", "errors.eval", "limits.eval", "log_streaming.eval"})
  void logsOfInspectBecomeTablesToo(String name) throws Exception {
    Path log = copy(name);
    var json = new StringWriter();
    LogExport.json(List.of(log), json);
    JsonNode rows = JSON.readTree(json.toString());
    assertThat(rows.size()).isEqualTo(samples(log).size());
    var page = new StringWriter();
    LogExport.html(log, page);
    assertThat(page.toString().lines().filter(line -> line.startsWith("<details class=\"sample ")))
        .hasSize(rows.size());
  }
}
