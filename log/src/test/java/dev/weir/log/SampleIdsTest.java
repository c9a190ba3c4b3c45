package dev.weir.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.log.inspect.InspectLog;
import dev.weir.log.inspect.InspectSchema;
import dev.weir.log.inspect.SampleId;
import dev.weir.log.journal.JournalListener;
import dev.weir.time.Time;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

class SampleIdsTest {

  private static final SampleIds MIXED =
      SampleIds.of(List.of(SampleId.of(7), SampleId.of("8"), SampleId.of("a"), SampleId.of(-3)));

  private static final String FORMS = "[7,\"8\",\"a\",-3]";

  @TempDir Path directory;

  @Test
  void areTheSameWhenTheyAreReadAgain() {
    String json = LogJson.LINES.writeValueAsString(MIXED);
    assertThat(json).isEqualTo(FORMS);
    assertThat(LogJson.LINES.readValue(json, SampleIds.class)).isEqualTo(MIXED);
    assertThat(LogJson.LINES.treeToValue(LogJson.LINES.valueToTree(MIXED), SampleIds.class))
        .isEqualTo(MIXED);
    // What Python calls an integer may have any length.
    String digits = "123456789012345678901234567890";
    assertThat(LogJson.LINES.writeValueAsString(SampleIds.of(List.of(new SampleId(digits, true)))))
        .isEqualTo("[" + digits + "]");
  }

  @ParameterizedTest
  @ValueSource(strings = {"007", "1.5", "-", "", "+1", "-0", "٣", "1e3"})
  void whatJsonCannotHaveAsAWholeNumberIsAText(String id) {
    assertThat(SampleIds.of(List.of(new SampleId(id, true))).isNumber(id)).isFalse();
  }

  @Test
  void keepTheFormThatTheyHadBefore() {
    var now = SampleIds.ofTexts(List.of("7", "8", "9"));
    assertThat(LogJson.LINES.writeValueAsString(now.as(MIXED))).isEqualTo("[7,\"8\",\"9\"]");
    var numbers = SampleIds.of(List.of(SampleId.of(7), SampleId.of(8), SampleId.of(9)));
    assertThat(LogJson.LINES.writeValueAsString(numbers.as(MIXED))).isEqualTo("[7,\"8\",9]");
  }

  /** A run that ended, and one that was killed: its log is made by others. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void haveOneFormInTheWholeLog(boolean isKilled) throws IOException {
    RunStart start = LogFixtures.with(LogFixtures.start("capitals"), MIXED);
    Path file;
    try (var log = RunLog.begin(Time.system(), directory, start, JournalListener.NONE)) {
      for (String id : MIXED.texts()) {
        log.append(LogFixtures.sample(id, "?", 1));
        log.append(LogFixtures.sample(id, "?", 2));
      }
      log.append(
          new Reduced(
              "includes",
              "mean",
              MIXED.texts().stream().map(id -> new Reduced.Value(id, 1)).toList()));
      file = log.file();
      if (!isKilled) {
        log.end(LogFixtures.result(start));
        file = log.finish(LogFixtures.NOTHING_LOST);
      }
    }
    assertForms(file);
    Path eval = isKilled ? LogRecovery.recover(file, true).log().orElseThrow() : file;
    assertForms(eval);
    assertThat(new InspectSchema().problems(eval)).isEmpty();
    // Members are named by digits, too.
    try (var read = RunLogReader.open(eval)) {
      assertThat(read.start()).isEqualTo(start);
      assertThat(read.sample("7", 2)).isPresent();
      assertThat(read.sample("8", 2)).isPresent();
    }
  }

  private void assertForms(Path log) throws IOException {
    Path json = directory.resolve("one.json");
    LogFiles.toJson(log, json);
    JsonNode whole = LogJson.LINES.readTree(Files.readAllBytes(json));
    assertThat(whole.path("eval").path("dataset").path("sample_ids")).hasToString(FORMS);
    assertThat(distinct(whole.path("samples"), "id")).hasToString(FORMS);
    assertThat(
            whole
                .path("samples")
                .valueStream()
                .map(sample -> sample.path("events").path(0).path("sample").path("id"))
                .distinct()
                .toList())
        .hasToString(FORMS.replace(",", ", "));
    assertThat(distinct(whole.path("reductions").path(0).path("samples"), "sample_id"))
        .hasToString(FORMS);
    // Without summaries in it, they are made of the samples.
    Path again = directory.resolve("again.eval");
    LogFiles.toEval(json, again);
    try (var copied = InspectLog.open(again);
        var summaries = copied.summaries()) {
      for (var next = summaries.next(); next != null; next = summaries.next()) {
        assertThat(next.id().isNumber()).isEqualTo(MIXED.isNumber(next.id().text()));
      }
    }
  }

  private static JsonNode distinct(JsonNode list, String field) {
    var ids = LogJson.LINES.createArrayNode();
    list.valueStream().map(one -> one.path(field)).distinct().forEach(ids::add);
    return ids;
  }
}
