package dev.weir.log;

import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What another program wrote of a run whose samples Weir scores again. It stays as it stands; only
 * what came of the scoring is added.
 */
final class ForeignHeader {

  private static final String REDUCTIONS = "reductions";

  /** What older programs did not write yet, and readers require now. */
  private static final String DEFAULTS =
      """
      {"version": 2, "status": "started",
       "eval": {"eval_id": "", "run_id": "", "created": "", "task": "", "task_id": "",
         "task_version": 0, "task_attribs": {}, "task_args": {}, "dataset": {}, "model": "",
         "model_generate_config": {}, "model_args": {}, "config": {}, "packages": {}},
       "plan": {"name": "plan", "steps": [], "config": {}},
       "stats": {"started_at": "", "completed_at": "", "model_usage": {}, "role_usage": {},
         "connection_limit_history": []},
       "invalidated": false, "tags": [], "metadata": {}}
      """;

  private ForeignHeader() {}

  /** Whether another program ran the samples, even if Weir has scored them since. */
  static boolean isForeign(JsonNode header) {
    return !header.path("eval").path("packages").has(InspectJson.WEIR);
  }

  static String of(String header, Optional<String> reductions) {
    ObjectNode all = (ObjectNode) LogJson.FOREIGN.readTree(header);
    reductions.ifPresent(json -> all.set(REDUCTIONS, LogJson.FOREIGN.readTree(json)));
    return LogJson.FOREIGN.writeValueAsString(all);
  }

  /** The same without what the old scores amount to. */
  static String withoutScores(String header) {
    ObjectNode all = (ObjectNode) LogJson.FOREIGN.readTree(header);
    all.remove(REDUCTIONS);
    if (all.path("results") instanceof ObjectNode results) {
      results.remove("scores");
    }
    if (all.path("eval") instanceof ObjectNode eval) {
      eval.remove("scorers");
    }
    return LogJson.FOREIGN.writeValueAsString(all);
  }

  /** The old header with what Weir adds; Weir's own, if there is no other. */
  static ObjectNode kept(Optional<String> foreign, ObjectNode own) {
    if (foreign.isEmpty()) {
      return own;
    }
    ObjectNode all = (ObjectNode) LogJson.FOREIGN.readTree(foreign.get());
    all.remove(REDUCTIONS);
    ObjectNode eval = object(all, "eval");
    JsonNode ownEval = own.path("eval");
    fill(object(eval, "metadata"), ownEval.path("metadata"));
    object(eval, "metadata").set(InspectJson.WEIR, ownEval.path("metadata").path(InspectJson.WEIR));
    eval.set("scorers", added(eval.path("scorers"), ownEval.path("scorers")));
    complete(all);
    if (!own.has("status")) {
      return all.retain("version", "eval", "plan");
    }
    all.set("status", own.path("status"));
    all.remove("error");
    if (own.has("error")) {
      all.set("error", own.path("error"));
    }
    results(object(all, "results"), own.path("results"));
    stats(object(all, "stats"), own.path("stats"));
    return all;
  }

  private static void results(ObjectNode results, JsonNode own) {
    results.set("total_samples", own.path("total_samples"));
    results.set("completed_samples", own.path("completed_samples"));
    results.set("scores", added(results.path("scores"), own.path("scores")));
    object(results, "metadata").set(InspectJson.WEIR, own.path("metadata").path(InspectJson.WEIR));
  }

  /** Graders were asked since; the evaluated model was not. */
  private static void stats(ObjectNode stats, JsonNode own) {
    for (String usage : Set.of("model_usage", "role_usage")) {
      for (Map.Entry<String, JsonNode> one : own.path(usage).properties()) {
        if (tokens(stats.path(usage).path(one.getKey())) != tokens(one.getValue())) {
          object(stats, usage).set(one.getKey(), one.getValue());
        }
      }
    }
  }

  private static long tokens(JsonNode usage) {
    return usage.path("total_tokens").asLong(-1);
  }

  /** Those that are there, and then those of other names. */
  private static ArrayNode added(JsonNode old, JsonNode own) {
    ArrayNode all = LogJson.FOREIGN.createArrayNode();
    Set<String> names = new HashSet<>();
    for (JsonNode one : old) {
      names.add(one.path("name").asString(""));
      all.add(one);
    }
    for (JsonNode one : own) {
      if (!names.contains(one.path("name").asString(""))) {
        all.add(one);
      }
    }
    return all;
  }

  private static void fill(ObjectNode fields, JsonNode more) {
    more.properties()
        .forEach(
            field -> {
              if (!fields.has(field.getKey())) {
                fields.set(field.getKey(), field.getValue());
              }
            });
  }

  private static void complete(ObjectNode all) {
    for (Map.Entry<String, JsonNode> field : LogJson.FOREIGN.readTree(DEFAULTS).properties()) {
      if (all.path(field.getKey()) instanceof ObjectNode there) {
        fill(there, field.getValue());
      } else if (!all.has(field.getKey())) {
        all.set(field.getKey(), field.getValue());
      }
    }
    passed(object(all, "eval"), "task_args");
    for (JsonNode score : all.path("results").path("scores")) {
      parameters(score);
      score.path("metrics").forEach(ForeignHeader::parameters);
    }
    for (JsonNode step : all.path("plan").path("steps")) {
      if (step instanceof ObjectNode known) {
        passed(known, "params");
      }
    }
  }

  private static void parameters(JsonNode in) {
    if (in instanceof ObjectNode known) {
      object(known, "params");
    }
  }

  /** Which of the arguments were given, and which are defaults, was not told apart at first. */
  private static void passed(ObjectNode in, String arguments) {
    JsonNode all = object(in, arguments);
    if (!in.has(arguments + "_passed")) {
      in.set(arguments + "_passed", all.deepCopy());
    }
  }

  /** The object in a field; an empty one takes the place of anything else. */
  private static ObjectNode object(ObjectNode in, String field) {
    return in.path(field) instanceof ObjectNode there ? there : in.putObject(field);
  }

  /** What became of repeated samples: the old ones, and then those that Weir adds. */
  static Optional<String> reductions(String foreign, String own) {
    ArrayNode all = LogJson.FOREIGN.createArrayNode();
    Set<String> scorers = new HashSet<>();
    for (JsonNode old : LogJson.FOREIGN.readTree(foreign).path(REDUCTIONS)) {
      scorers.add(old.path("scorer").asString(""));
      for (JsonNode sample : old.path("samples")) {
        if (sample instanceof ObjectNode known && !known.has("history")) {
          known.putArray("history");
        }
      }
      all.add(old);
    }
    for (JsonNode added : LogJson.FOREIGN.readTree(own)) {
      if (!scorers.contains(added.path("scorer").asString(""))) {
        all.add(added);
      }
    }
    return all.isEmpty() ? Optional.empty() : Optional.of(LogJson.FOREIGN.writeValueAsString(all));
  }
}
