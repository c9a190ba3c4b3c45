package dev.weir.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.log.SampleResult.ScoreResult;
import dev.weir.log.inspect.InspectLog;
import dev.weir.log.inspect.InspectLogWriter;
import dev.weir.log.inspect.InspectSample;
import dev.weir.log.inspect.SampleId;
import dev.weir.log.journal.JournalListener;
import dev.weir.time.Time;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** What other programs wrote stays as it stands. */
class LoggedSampleTest {

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"log_streaming.eval", "mmlu-summary-choices.eval", "tools.eval"})
  void aKilledRunHasWhatItHadCopied(String name) throws Exception {
    List<LoggedSample> samples = samples(Path.of("src/test/resources/dev/weir/log/inspect", name));
    Path journal;
    try (var log =
        RunLog.begin(Time.system(), directory, LogFixtures.start("killed"), JournalListener.NONE)) {
      for (LoggedSample sample : samples) {
        log.copy(sample.withContentHash("0a"));
      }
      journal = log.file();
    }

    assertSame(samples, samples(journal));
    assertSame(samples, samples(LogRecovery.recover(journal, true).log().orElseThrow()));
  }

  @Test
  void oneSampleIsDumpedAsItStands() throws Exception {
    String json =
        "{\"id\": 7, \"epoch\": 1,  \"input\": \"x\", \"target\": \"x\", \"odd\": [NaN, 1e-7,"
            + " 1.10], \"messages\": [], \"events\": [ ], \"attachments\": {\"a\": \"b\"}}";
    Path eval = directory.resolve("foreign.eval");
    try (var writer = InspectLogWriter.create(eval)) {
      String header = LogJson.LINES.writeValueAsString(header());
      writer.start(out -> out.write(header));
      writer.sample(SampleId.of("7"), 1, json.getBytes(UTF_8));
      writer.summary(InspectSample.of("a test", json.getBytes(UTF_8)).summary());
      writer.finish(out -> out.write(header));
    }
    // Killed before anything was copied: its sample is still there.
    Path retry;
    RunStart start = LogFixtures.retry(LogFixtures.start("killed"), "k4", eval);
    try (var log = RunLog.begin(Time.system(), directory, start, JournalListener.NONE)) {
      retry = log.file();
    }
    for (Path log : List.of(eval, retry)) {
      var dumped = new StringWriter();
      assertThat(EvalLogJson.writeSample(log, "7", 1, dumped, false)).isTrue();
      assertThat(dumped).hasToString(json);
    }
  }

  private static JsonNode header() throws IOException {
    Path real = Path.of("src/test/resources/dev/weir/log/inspect/tools.eval");
    try (var log = InspectLog.open(real)) {
      return LogJson.LINES.readTree(log.headerJson());
    }
  }

  private static void assertSame(List<LoggedSample> before, List<LoggedSample> after) {
    assertThat(after).hasSameSizeAs(before);
    for (int i = 0; i < before.size(); i++) {
      assertThat(after.get(i).foreign()).isEqualTo(before.get(i).foreign());
      assertThat(after.get(i).sample().withContentHash(""))
          .isEqualTo(before.get(i).sample().withContentHash(""));
    }
  }

  private static List<LoggedSample> samples(Path log) throws IOException {
    List<LoggedSample> samples = new ArrayList<>();
    try (var reader = RunLogReader.open(log)) {
      for (var next = reader.logged(); next.isPresent(); next = reader.logged()) {
        samples.add(next.get());
      }
    }
    return samples;
  }

  @Test
  void newScoresTakeTheirPlaceAndNothingElseMoves() throws IOException {
    String before =
        """
        {"id": 7, "epoch": 1, "input": "ü\\ud83d", "odd": [NaN, 1e-7, {"scores": {"no": 1}}],
         "scores": { "old": {"value": "I", "more": 1.10} } , "target": "x",
         "events" : [ ] , "error": null, "messages": [], "more": 12}
        """;

    assertThat(scored(before, true, Optional.empty()))
        .isEqualTo(
            before
                .replace(
                    "{ \"old\": {\"value\": \"I\", \"more\": 1.10} }",
                    "{\"old\":{\"value\":\"I\",\"more\":1.10},"
                        + "\"new\":{\"value\":0.5,\"history\":[]}}")
                .replace("[ ]", "[ " + EVENT + "]"));
    assertThat(scored(before, false, Optional.of("it broke")))
        .contains("\"scores\": {\"new\":{\"value\":0.5,\"history\":[]}} ,")
        .as("a new score that fails is no error of the sample")
        .contains("\"error\": null");
  }

  @Test
  void whereThereWereNoneTheyAreTheLast() throws IOException {
    String before = "{\"id\":\"a\",\"epoch\":1,\"target\":\"x\",\"events\":[{\"event\":\"z\"}]}\n";

    assertThat(scored(before, true, Optional.empty()))
        .isEqualTo(
            "{\"id\":\"a\",\"epoch\":1,\"target\":\"x\",\"events\":[{\"event\":\"z\"},"
                + EVENT
                + "],\"scores\":{\"new\":{\"value\":0.5,\"history\":[]}}}\n");
  }

  private static final String EVENT =
      "{\"event\":\"score\",\"timestamp\":\"2026-11-15T10:11:12.500000+00:00\","
          + "\"working_start\":0.0,\"scorer\":\"new\","
          + "\"score\":{\"value\":0.5,\"history\":[]},\"target\":\"x\",\"intermediate\":false}";

  private static String scored(String json, boolean keepsScores, Optional<String> error)
      throws IOException {
    LoggedSample logged =
        InspectSampleReader.read(InspectSample.of("a test", json.getBytes(UTF_8)));
    SampleResult sample = logged.sample();
    Map<String, ScoreResult> scores = new LinkedHashMap<>(keepsScores ? sample.scores() : Map.of());
    scores.put("new", new ScoreResult(0.5, Optional.empty(), Optional.empty(), Map.of()));
    SampleResult now = WrittenLogContractTest.with(sample, scores, error);
    return new String(
        logged.scored(now, keepsScores, LogFixtures.STARTED).json(SampleIds.NONE), UTF_8);
  }
}
