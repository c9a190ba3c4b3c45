package dev.weir.log;

import dev.weir.log.RunResult.Counts;
import dev.weir.log.RunResult.ModelUse;
import dev.weir.log.RunResult.ScorerMetrics;
import dev.weir.log.inspect.SampleId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** What one of Inspect's logs tells of its run, whoever wrote it. */
final class InspectHeaderReader {

  private InspectHeaderReader() {}

  /**
   * @param json {@code header.json}, or {@code _journal/start.json} if there is none
   */
  static RunStart start(JsonNode json) {
    JsonNode eval = json.path("eval");
    JsonNode own = eval.path("metadata").path(InspectJson.WEIR);
    if (own.isObject()) {
      ObjectNode whole = (ObjectNode) own.deepCopy();
      ((ObjectNode) whole.path("dataset"))
          .set("sample_ids", InspectJson.tree(sampleIds(eval.path("dataset").path("sample_ids"))));
      return LogJson.LINES.treeToValue(whole, RunStart.class);
    }
    JsonNode dataset = eval.path("dataset");
    return new RunStart(
        eval.path("run_id").asString(""),
        eval.path("task_id").asString(""),
        eval.path("task").asString(""),
        text(eval.path("task_file"))
            .map(file -> new TaskOrigin(file, Optional.empty(), words(eval.path("task_args")))),
        new DatasetRecord(
            dataset.path("name").asString(""),
            text(dataset.path("location")),
            sampleIds(dataset.path("sample_ids")),
            dataset.path("shuffled").asBoolean(false)),
        steps(json.path("plan").path("steps")),
        eval.path("model").asString(""),
        roles(eval.path("model_roles")),
        eval.path("config").path("epochs").asInt(1),
        0,
        "",
        eval.path("model_generate_config").path("max_connections").asInt(0),
        scorers(eval, json.path("results")),
        config(json),
        texts(eval.path("tags")),
        words(eval.path("metadata")),
        InspectNodes.instant(eval.path("created")),
        Optional.empty());
  }

  /** How it ended; absent if it did not. */
  static Optional<RunResult> end(JsonNode header, RunStart start) {
    JsonNode own = header.path("results").path("metadata").path(InspectJson.WEIR);
    if (own.isObject()) {
      ObjectNode whole = (ObjectNode) own.deepCopy();
      whole.set("start", LogJson.LINES.valueToTree(start));
      return Optional.of(LogJson.LINES.treeToValue(whole, RunResult.class));
    }
    Optional<RunResult.Status> status =
        switch (header.path("status").asString("started")) {
          case "success" -> Optional.of(RunResult.Status.SUCCESS);
          case "error" -> Optional.of(RunResult.Status.ERROR);
          case "cancelled" -> Optional.of(RunResult.Status.CANCELLED);
          default -> Optional.empty();
        };
    return status.map(known -> foreign(header, start, known));
  }

  private static RunResult foreign(JsonNode header, RunStart start, RunResult.Status status) {
    JsonNode results = header.path("results");
    JsonNode stats = header.path("stats");
    int total = results.path("total_samples").asInt(start.samples() * start.epochs());
    int scored = Math.min(total, results.path("completed_samples").asInt(0));
    Instant ended = InspectNodes.instant(stats.path("completed_at"));
    Instant began = InspectNodes.instant(stats.path("started_at"));
    List<ScorerMetrics> scores = scores(results);
    List<ModelUse> models = new ArrayList<>();
    Tokens tokens = Tokens.NONE;
    for (Map.Entry<String, JsonNode> use : stats.path("model_usage").properties()) {
      Tokens used = InspectNodes.usage(use.getValue());
      tokens = tokens.plus(used);
      models.add(
          new ModelUse(
              use.getKey(),
              ModelCall.EVALUATED,
              0,
              0,
              used,
              Cost.NONE,
              Optional.empty(),
              Optional.empty()));
    }
    return new RunResult(
        start,
        status,
        text(header.path("error").path("message")),
        text(header.path("error").path("traceback")),
        Optional.empty(),
        ended,
        Math.max(0, Duration.between(began, ended).toMillis() / 1e3),
        scores.isEmpty() ? Map.of() : scores.getFirst().metrics(),
        scores,
        Optional.empty(),
        new Counts(total, scored, 0, total - scored),
        tokens,
        Cost.NONE,
        0,
        0,
        Times.NONE,
        models,
        Map.of(),
        List.of(),
        Optional.empty());
  }

  private static List<ScorerMetrics> scores(JsonNode results) {
    List<ScorerMetrics> scores = new ArrayList<>();
    for (JsonNode score : results.path("scores")) {
      Map<String, Double> metrics = new LinkedHashMap<>();
      score
          .path("metrics")
          .properties()
          .forEach(
              metric ->
                  InspectNodes.number(metric.getValue().path("value"))
                      .ifPresent(value -> metrics.put(metric.getKey(), value)));
      scores.add(
          new ScorerMetrics(
              score.path("name").asString(""),
              score.path("reducer").asString("mean"),
              metrics,
              Optional.empty(),
              Optional.of(score.path("scored_samples"))
                  .filter(JsonNode::isInt)
                  .map(JsonNode::intValue)));
    }
    return scores;
  }

  private static List<RunStart.Step> steps(JsonNode steps) {
    List<RunStart.Step> read = new ArrayList<>();
    for (JsonNode step : steps) {
      Map<String, Object> arguments = new LinkedHashMap<>();
      step.path("params")
          .properties()
          .forEach(
              argument -> {
                if (!argument.getValue().isNull()) {
                  arguments.put(
                      argument.getKey(),
                      LogJson.LINES.treeToValue(argument.getValue(), Object.class));
                }
              });
      read.add(new RunStart.Step(step.path("solver").asString(""), arguments));
    }
    return read;
  }

  private static Map<String, String> roles(JsonNode roles) {
    Map<String, String> models = new LinkedHashMap<>();
    roles
        .properties()
        .forEach(role -> models.put(role.getKey(), role.getValue().path("model").asString("")));
    return models;
  }

  private static List<String> scorers(JsonNode eval, JsonNode results) {
    List<String> names = new ArrayList<>();
    JsonNode known = eval.path("scorers") instanceof ArrayNode own ? own : results.path("scores");
    known.forEach(scorer -> names.add(scorer.path("name").asString("")));
    return names.stream().distinct().toList();
  }

  private static SampleIds sampleIds(JsonNode ids) {
    List<SampleId> all = new ArrayList<>();
    ids.forEach(id -> all.add(new SampleId(id.asString(""), id.isIntegralNumber())));
    return SampleIds.of(all);
  }

  private static List<String> texts(JsonNode list) {
    List<String> texts = new ArrayList<>();
    list.forEach(text -> texts.add(text.asString("")));
    return texts;
  }

  private static Map<String, String> words(JsonNode node) {
    Map<String, String> words = new LinkedHashMap<>();
    node.properties()
        .forEach(
            entry -> {
              JsonNode value = entry.getValue();
              if (!value.isNull()) {
                words.put(
                    entry.getKey(), value.isValueNode() ? value.asString("") : value.toString());
              }
            });
    return words;
  }

  /** Inspect keeps what models are asked with apart, and means something else by its seed. */
  private static Map<String, String> config(JsonNode json) {
    Map<String, String> config = words(json.path("eval").path("config"));
    Map<String, String> generation = words(json.path("plan").path("config"));
    generation.putAll(words(json.path("eval").path("model_generate_config")));
    generation.remove("seed");
    config.putAll(generation);
    return config;
  }

  private static Optional<String> text(JsonNode node) {
    return node.isString() ? Optional.of(node.asString()) : Optional.empty();
  }
}
