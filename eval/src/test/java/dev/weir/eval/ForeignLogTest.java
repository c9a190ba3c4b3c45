package dev.weir.eval;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.Rescoring.Action;
import dev.weir.eval.dataset.Dataset;
import dev.weir.eval.dataset.Sample;
import dev.weir.eval.option.Settings;
import dev.weir.eval.scorer.Scorers;
import dev.weir.eval.solver.Solvers;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.eval.task.TaskDefinition.NamedScorer;
import dev.weir.log.RunLogReader;
import dev.weir.log.SampleResult;
import dev.weir.time.virtual.VirtualTime;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Real logs of Inspect lose nothing when Weir keeps their samples, or scores them. */
class ForeignLogTest {

  private static final Path LOGS = Path.of("../log/src/test/resources/dev/weir/log/inspect");
  private static final JsonMapper JSON = new JsonMapper();
  private static final Host HOST =
      new Host(Map.of("OPENAI_API_KEY", "none"), Optional.empty(), (_, _) -> {});

  @TempDir Path directory;

  private final VirtualTime time = VirtualTime.seeded(1);

  private Path scored(Path log, Action action, String scorer) throws Exception {
    var request =
        new Rescoring.Request(
            log,
            List.of(new NamedScorer(scorer, Scorers.of(scorer, Map.of()))),
            action,
            Optional.empty());
    Settings settings = Settings.NONE.with("log_dir", directory.toString());
    return time.run(() -> Rescoring.prepare(time, request, settings, HOST).run()).file();
  }

  private static Map<String, byte[]> members(Path log) throws IOException {
    Map<String, byte[]> members = new TreeMap<>();
    try (var zip = new ZipFile(log.toFile())) {
      for (var entry : zip.stream().toList()) {
        members.put(entry.getName(), zip.getInputStream(entry).readAllBytes());
      }
    }
    return members;
  }

  private static Map<String, ObjectNode> samples(Path log) throws IOException {
    Map<String, ObjectNode> samples = new LinkedHashMap<>();
    members(log)
        .forEach(
            (name, json) -> {
              if (name.startsWith("samples/")) {
                samples.put(name, (ObjectNode) JSON.readTree(json));
              }
            });
    return samples;
  }

  private static JsonNode member(Path log, String name) throws IOException {
    return JSON.readTree(Objects.requireNonNull(members(log).get(name)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"log_formats.eval", "log_streaming.eval", "mmlu-summary-choices.eval"})
  void onlyTheScoresChangeWhenALogIsScored(String name) throws Exception {
    Path log = LOGS.resolve(name);

    Path scored = scored(log, Action.APPEND, "includes");

    Map<String, ObjectNode> before = samples(log);
    Map<String, ObjectNode> after = samples(scored);
    assertThat(after.keySet()).isEqualTo(before.keySet());
    before.forEach(
        (member, old) -> {
          ObjectNode now = Objects.requireNonNull(after.get(member));
          ObjectNode scores = (ObjectNode) now.remove("scores");
          assertThat(scores.remove("includes").path("value").isNumber()).isTrue();
          assertThat(scores).isEqualTo(old.remove("scores"));
          JsonNode added = ((ArrayNode) now.path("events")).remove(old.path("events").size());
          assertThat(added.path("event").asString()).isEqualTo("score");
          assertThat(added.path("scorer").asString()).isEqualTo("includes");
          assertThat(now).isEqualTo(old);
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"log_formats.eval", "log_streaming.eval", "mmlu-summary-choices.eval"})
  void whatIsKnownOfTheRunStaysWhenALogIsScored(String name) throws Exception {
    Path log = LOGS.resolve(name);

    // Twice: the second time Weir has written the log, but another program ran the samples.
    Path scored = scored(scored(log, Action.APPEND, "includes"), Action.APPEND, "exact");

    ObjectNode before = (ObjectNode) member(log, "header.json");
    ObjectNode after = (ObjectNode) member(scored, "header.json");
    ObjectNode eval = (ObjectNode) after.path("eval");
    ObjectNode oldEval = (ObjectNode) before.path("eval");
    assertThat(((ObjectNode) eval.path("metadata")).remove("weir").isObject()).isTrue();
    eval.remove(List.of("scorers", "metadata"));
    oldEval.remove(List.of("scorers", "metadata"));
    assertStays(oldEval, eval);
    assertStays(before.path("plan"), after.path("plan"));
    assertStays(before.path("stats"), after.path("stats"));
    assertStays(
        before.path("results").path("scores").path(0),
        after.path("results").path("scores").path(0));
    assertThat(after.path("results").path("scores").findValuesAsString("scorer"))
        .endsWith("includes", "exact");
    assertStays(member(log, "reductions.json").path(0), member(scored, "reductions.json").path(0));
  }

  /** All of it is there; what older programs did not write yet, and readers require, is empty. */
  private static void assertStays(JsonNode before, JsonNode after) {
    if (before.isContainer()) {
      assertThat(after.getNodeType()).isEqualTo(before.getNodeType());
    } else {
      assertThat(after).isEqualTo(before);
    }
    for (var field : before.properties()) {
      assertStays(field.getValue(), after.path(field.getKey()));
    }
    for (int i = 0; before.isArray() && i < Math.max(before.size(), after.size()); i++) {
      assertStays(before.path(i), after.path(i));
    }
  }

  @Test
  void repeatedSamplesAreReducedWhenALogIsScored() throws Exception {
    Path scored = scored(LOGS.resolve("log_streaming.eval"), Action.OVERWRITE, "includes");

    JsonNode reductions = member(scored, "reductions.json");
    assertThat(reductions.findValuesAsString("scorer")).containsExactly("includes");
    assertThat(reductions.path(0).path("samples").findValuesAsString("sample_id"))
        .containsExactlyInAnyOrder("1", "2");
    assertThat(samples(scored).values())
        .allSatisfy(
            sample ->
                assertThat(sample.path("scores").propertyNames()).containsExactly("includes"));
    JsonNode score = member(scored, "header.json").path("results").path("scores").path(0);
    assertThat(score.path("name").asString()).isEqualTo("includes");
    assertThat(score.path("metadata").path("interval").has("low")).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"log_formats.eval", "mmlu-summary-choices.eval"})
  void keptSamplesAreCopiedByteForByte(String name) throws Exception {
    Path log = LOGS.resolve(name);
    List<Sample> questions = new ArrayList<>();
    try (var reader = RunLogReader.open(log)) {
      for (var next = reader.sample(); next.isPresent(); next = reader.sample()) {
        SampleResult sample = next.get();
        questions.add(new Sample(sample.id(), sample.input(), sample.targets().getFirst()));
      }
    }
    TaskDefinition task =
        TaskDefinition.named("foreign")
            .dataset(new Dataset(questions))
            .solver(Solvers.generate())
            .scorer("match", Scorers.of("match", Map.of()))
            .build();
    // Programs name models differently, and providers of the log's need not be there.
    Settings settings =
        Settings.NONE.with("log_dir", directory.toString()).with("model", "sim/demo");

    Evaluation.Finished finished =
        time.run(() -> Evaluation.retry(time, log, task, settings, HOST).run());

    Path written = finished.runs().getFirst().file().orElseThrow();
    Map<String, byte[]> before = members(log);
    Map<String, byte[]> after = members(written);
    assertThat(after).containsKey("samples/1_epoch_1.json");
    before.keySet().stream()
        .filter(member -> member.startsWith("samples/"))
        .forEach(member -> assertThat(after.get(member)).isEqualTo(before.get(member)));
    // What Weir knows of them is in the list, so that the next retry need not read them.
    try (var reader = RunLogReader.open(written)) {
      assertThat(reader.summaries())
          .hasSize(1)
          .allSatisfy(summary -> assertThat(summary.contentHash()).isNotEmpty())
          .allSatisfy(summary -> assertThat(summary.scores()).isNotEmpty());
    }
  }
}
