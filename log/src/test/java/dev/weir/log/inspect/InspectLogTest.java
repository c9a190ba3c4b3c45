package dev.weir.log.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.log.inspect.InspectHeader.Dataset;
import dev.weir.log.inspect.InspectHeader.Step;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

class InspectLogTest {

  private static final String SPEC =
      "\"eval\":{\"task\":\"t\",\"created\":\"2026-01-01T00:00:00+00:00\",\"dataset\":{},"
          + "\"model\":\"m\",\"config\":{}}";

  @TempDir Path directory;

  private static JsonNode tree(InspectSample sample) {
    return InspectJson.MAPPER.readTree(sample.json());
  }

  private Path json(String text) throws IOException {
    return Files.writeString(directory.resolve("log.json"), text);
  }

  private Path eval(String... namesAndContents) throws IOException {
    Path file = directory.resolve("log.eval");
    try (var zip = new ZipWriter(file)) {
      for (int i = 0; i < namesAndContents.length; i += 2) {
        zip.add(namesAndContents[i], namesAndContents[i + 1].getBytes(StandardCharsets.UTF_8));
      }
      zip.finish();
    }
    return file;
  }

  @Test
  void readsTheHeaderOfAnOldLog() throws IOException {
    try (InspectLog log = InspectLog.open(Logs.file("log_streaming.eval"))) {
      InspectHeader header = log.header();
      assertThat(header.status()).isEqualTo("success");
      assertThat(header.eval().task()).isEqualTo("popularity");
      assertThat(header.eval().taskId()).isEqualTo("WckPjG7ovQZLAiZF2fZpog");
      assertThat(header.eval().evalId()).isEmpty();
      assertThat(header.eval().created()).isEqualTo("2024-11-05T20:04:20+00:00");
      assertThat(header.eval().model()).isEqualTo("azureai/Meta-Llama-3-1-405B-Instruct-jqf");
      assertThat(header.eval().config().epochs()).isEqualTo(2);
      assertThat(header.eval().config().limitJson()).contains("2");
      assertThat(header.eval().dataset())
          .isEqualTo(
              new Dataset(
                  "popularity",
                  "example://popularity",
                  Optional.of(100),
                  List.of(SampleId.of(1), SampleId.of(2)),
                  Optional.of(false)));
      assertThat(header.steps())
          .extracting(Step::solver)
          .containsExactly("system_message", "generate");
      assertThat(header.results().orElseThrow().completedSamples()).isEqualTo(4);
      assertThat(header.results().orElseThrow().scores().getFirst().metrics())
          .containsEntry("accuracy", 0.75);
      assertThat(header.error()).isEmpty();
      assertThat(InspectJson.MAPPER.readTree(log.headerJson()).path("results").has("scores"))
          .isTrue();
    }
  }

  @Test
  void readsTheSamplesOfAZstdLogWithIdsOfBothKinds() throws IOException {
    try (InspectLog log = InspectLog.open(Logs.file("epochs.eval"))) {
      assertThat(log.header().eval().dataset().sampleIds())
          .containsExactly(SampleId.of(1), SampleId.of("a/b"));
      List<InspectSample> samples = Logs.all(log.samples());
      assertThat(samples).hasSize(6);
      assertThat(samples)
          .extracting(InspectSample::id)
          .containsOnly(SampleId.of(1), SampleId.of("a/b"));
      assertThat(Logs.all(log.summaries())).hasSize(6);
      InspectSample one = log.sample(SampleId.of("a/b"), 2).orElseThrow();
      assertThat(one.epoch()).isEqualTo(2);
      assertThat(tree(one).path("target").asString()).isEqualTo("no");
      assertThat(log.sample(SampleId.of("a/b"), 4)).isEmpty();
      assertThat(InspectJson.MAPPER.readTree(log.reductionsJson().orElseThrow()).isArray())
          .isTrue();
    }
  }

  @Test
  void readsTheOtherFormAlike() throws IOException {
    try (InspectLog log = InspectLog.open(Logs.file("epochs.json"))) {
      assertThat(log.header().status()).isEqualTo("success");
      assertThat(log.header().eval().config().epochs()).isEqualTo(2);
      List<InspectSample> samples = Logs.all(log.samples());
      assertThat(samples).hasSize(4);
      JsonNode whole = InspectJson.MAPPER.readTree(Files.readAllBytes(log.file()));
      for (int i = 0; i < samples.size(); i++) {
        assertThat(tree(samples.get(i))).isEqualTo(whole.path("samples").get(i));
      }
      assertThat(InspectJson.MAPPER.readTree(log.reductionsJson().orElseThrow()))
          .isEqualTo(whole.path("reductions"));
      assertThat(InspectJson.MAPPER.readTree(log.headerJson()).propertyNames())
          .doesNotContain("samples", "reductions")
          .contains("tags", "stats");
      assertThat(log.sample(SampleId.of("a/b"), 2)).isPresent();
      assertThat(log.sample(SampleId.of("c"), 2)).isEmpty();
    }
  }

  /** They are made from the samples, as Inspect makes its own. */
  @Test
  void summariesOfTheOtherFormFollowTheSchema() throws IOException {
    try (InspectLog log = InspectLog.open(Logs.file("epochs.json"))) {
      List<InspectSample> summaries = Logs.all(log.summaries());
      assertThat(summaries).hasSize(4);
      var schema = new InspectSchema();
      for (InspectSample summary : summaries) {
        assertThat(
                schema.problems(
                    "summaries.json",
                    ("[" + summary.text() + "]").getBytes(StandardCharsets.UTF_8)))
            .isEmpty();
      }
      assertThat(tree(summaries.getFirst()).path("completed").asBoolean()).isTrue();
      assertThat(tree(summaries.getFirst()).has("events")).isFalse();
    }
  }

  @Test
  void aLogWithoutAnEndIsStarted() throws IOException {
    try (InspectLog log = InspectLog.open(Logs.file("started.eval"))) {
      assertThat(log.header().status()).isEqualTo("started");
      assertThat(log.header().results()).isEmpty();
      assertThat(log.headerJson()).contains("\"status\":\"started\"");
      assertThat(Logs.all(log.summaries())).hasSize(6);
      assertThat(Logs.all(log.samples())).hasSize(6);
      assertThat(log.reductionsJson()).isEmpty();
    }
  }

  @Test
  void journalSummariesAreReadInTheirOrder() throws IOException {
    String[] members = new String[2 + 2 * 12];
    members[0] = "_journal/start.json";
    members[1] = "{" + SPEC + "}";
    for (int n = 1; n <= 12; n++) {
      members[2 * n] = "_journal/summaries/" + n + ".json";
      members[2 * n + 1] = "[{\"id\":%d,\"epoch\":1},{\"id\":\"x%d\",\"epoch\":1}]".formatted(n, n);
    }
    try (InspectLog log = InspectLog.open(eval(members))) {
      List<InspectSample> summaries = Logs.all(log.summaries());
      assertThat(summaries).hasSize(24);
      assertThat(summaries.getFirst().id()).isEqualTo(SampleId.of(1));
      assertThat(summaries.getLast().id()).isEqualTo(SampleId.of("x12"));
    }
  }

  @Test
  void aFailedRunTellsItsError() throws IOException {
    try (InspectLog log = InspectLog.open(Logs.file("failed.eval"))) {
      assertThat(log.header().status()).isEqualTo("error");
      assertThat(log.header().error().orElseThrow()).contains("made to fail");
    }
  }

  @Test
  void numbersThatAreNoneAndHalfCharactersSurvive() throws IOException {
    String sample =
        "{\"id\":\"s\",\"epoch\":1,\"a\":NaN,\"b\":-Infinity,\"c\":1.50,\"d\":1e-7,\"e\":\"\\ud800x\","
            + "\"f\":123456789012345678901234567890}";
    Path file =
        json(
            "{\"version\":2,\"status\":\"success\",%s,\"results\":{\"scores\":[{\"name\":\"n\",\"metrics\":"
                    .formatted(SPEC)
                + "{\"m\":{\"name\":\"m\",\"value\":NaN}}}]},\"samples\":["
                + sample
                + "]}");
    try (InspectLog log = InspectLog.open(file)) {
      assertThat(log.header().results().orElseThrow().scores().getFirst().metrics().get("m"))
          .isNaN();
      assertThat(log.headerJson()).contains("\"value\":NaN");
      String text = Logs.all(log.samples()).getFirst().text();
      assertThat(text)
          .contains("\"a\":NaN", "\"b\":-Infinity", "\"c\":1.50", "\"e\":\"\\ud800x\"")
          .contains("123456789012345678901234567890");
      assertThat(Logs.all(log.samples()).getFirst().resolved().text())
          .contains("\"a\":NaN", "\"e\":\"\\ud800x\"");
    }
  }

  @Test
  void numbersThatFitNowhereAreLeftOut() throws IOException {
    String spec =
        SPEC.replace(
                "\"dataset\":{}", "\"dataset\":{\"samples\":99999999999,\"sample_ids\":[1.5,{}]}")
            .replace("\"config\":{}", "\"config\":{\"epochs\":1e99,\"message_limit\":99999999999}");
    try (InspectLog log = InspectLog.open(json("{" + spec + "}"))) {
      assertThat(log.header().eval().dataset().samples()).isEmpty();
      assertThat(log.header().eval().dataset().sampleIds()).isEmpty();
      assertThat(log.header().eval().config().epochs()).isEqualTo(1);
      assertThat(log.header().eval().config().messageLimit()).isEmpty();
    }
  }

  @Test
  void onlyMembersThatAreSamplesAreTakenForSome() throws IOException {
    String sample = "{\"id\":\"a_epoch_x\",\"epoch\":12}";
    Path file =
        eval(
            "samples/a_epoch_x_epoch_12.json",
            sample,
            "samples/1_epoch_1/sample.json",
            "[]",
            "samples/_epoch_.json",
            "[]",
            "header.json",
            "{" + SPEC + "}");
    try (InspectLog log = InspectLog.open(file)) {
      assertThat(Logs.all(log.samples())).extracting(InspectSample::text).containsExactly(sample);
      assertThat(log.sample(SampleId.of("a_epoch_x"), 12)).isPresent();
    }
  }

  @Test
  void otherVersionsAreRefused() throws IOException {
    try (InspectLog log = InspectLog.open(json("{\"version\":1," + SPEC + "}"))) {
      assertThatThrownBy(log::header)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("is a log of version 1");
    }
    try (InspectLog log = InspectLog.open(eval("header.json", "{\"version\":3," + SPEC + "}"))) {
      assertThatThrownBy(log::samples)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("is a log of version 3")
          .hasMessageContaining("a newer one is needed");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{",
        "{}",
        "{\"version\":2}",
        "[1,2]",
        "nothing of the kind",
        "{\"eval\":7,\"status\":\"success\"}",
        "{\"version\":\"x\",\"eval\":{\"task\":1}}",
        "\u0000\u0001"
      })
  void whatIsNoLogIsRefused(String text) {
    assertThatThrownBy(
            () -> {
              try (InspectLog log = InspectLog.open(json(text))) {
                log.header();
              }
            })
        .isInstanceOf(IOException.class)
        .hasMessageContaining("log.json");
  }

  @Test
  void anotherZipFileIsRefused() throws IOException {
    try (InspectLog log = InspectLog.open(eval("readme.txt", "hello"))) {
      assertThatThrownBy(log::header)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("it has neither header.json nor _journal/start.json");
    }
    Files.write(directory.resolve("empty.eval"), new byte[0]);
    assertThatThrownBy(() -> InspectLog.open(directory.resolve("empty.eval")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("is empty");
  }

  @Test
  void membersThatAreNoSamplesAreSkippedAndTold() throws IOException {
    String sample = "{\"id\":\"b\",\"epoch\":1}";
    Path file =
        eval(
            "header.json",
            "{" + SPEC + "}",
            "samples/1_epoch_1.json",
            "[]",
            "samples/a_epoch_1.json",
            "{\"id\":\"a\",\"epoch\":1,\"input\":\"half",
            "samples/b_epoch_1.json",
            sample,
            "samples/c_epoch_1.json",
            "{\"id\":\"c\",\"epoch\":1} and more",
            "summaries.json",
            "[{\"id\":\"a\" oh");
    try (InspectLog log = InspectLog.open(file)) {
      assertThat(Logs.all(log.samples())).extracting(InspectSample::text).containsExactly(sample);
      assertThat(log.hasWholeSummaries()).isFalse();
      assertThat(Logs.all(log.samples())).hasSize(1);
      assertThat(log.damage()).hasSize(4).allMatch(told -> told.startsWith(file + ": "));
      assertThat(log.damage().getFirst()).contains("samples/1_epoch_1.json has no id and epoch");
      assertThat(log.isDamaged(SampleId.of("a"), 1)).isTrue();
      assertThat(log.isDamaged(SampleId.of("b"), 1)).isFalse();
    }
  }

  @Test
  void attachmentsAndPoolsAreResolvedOnDemand() throws IOException {
    for (String name :
        List.of("epochs.eval", "tools.eval", "log_formats.eval", "log_streaming.eval")) {
      try (InspectLog log = InspectLog.open(Logs.file(name))) {
        for (InspectSample sample : Logs.all(log.samples())) {
          String resolved = sample.resolved().text();
          assertThat(resolved).doesNotContain("attachment://", "tc://", "input_refs");
          for (JsonNode event : tree(sample.resolved()).path("events")) {
            if (event.path("event").asString().equals("model")) {
              assertThat(event.path("input").size()).as(name).isPositive();
            }
          }
        }
      }
    }
  }

  @Test
  void theHeaderOfALargeLogCostsKilobytes() throws IOException {
    Path file = directory.resolve("large.eval");
    try (var writer = InspectLogWriter.create(file)) {
      writer.start(out -> out.write("{\"version\":2," + SPEC + "}"));
      for (int i = 0; i < 20_000; i++) {
        writer.sample(
            SampleId.of(i),
            1,
            ("{\"id\":" + i + ",\"epoch\":1,\"input\":\"" + "x".repeat(200) + i + "\"}")
                .getBytes(StandardCharsets.UTF_8));
        writer.summary(("{\"id\":" + i + ",\"epoch\":1}").getBytes(StandardCharsets.UTF_8));
      }
      writer.finish(out -> out.write("{\"version\":2,\"status\":\"success\"," + SPEC + "}"));
    }
    assertThat(Files.size(file)).isGreaterThan(2_000_000);
    var counted = new CountedSource(Source.of(file));
    try (InspectLog log = InspectLog.open(file, counted)) {
      assertThat(log.header().status()).isEqualTo("success");
      assertThat(counted.bytes()).isLessThan(32 << 10);
    }
    Path text = directory.resolve("large.json");
    Files.writeString(
        text,
        "{\"version\":2,\"status\":\"success\","
            + SPEC
            + ",\"samples\":["
            + "{\"id\":1,\"epoch\":1,\"input\":\"x\"},".repeat(100_000)
            + "{\"id\":2,\"epoch\":1}]}");
    var countedText = new CountedSource(Source.of(text));
    try (InspectLog log = InspectLog.open(text, countedText)) {
      assertThat(log.header().eval().task()).isEqualTo("t");
      assertThat(countedText.bytes()).isLessThan(64 << 10);
      assertThat(log.sample(SampleId.of(2), 1)).isPresent();
    }
  }
}
