package dev.weir.log;

import static dev.weir.log.InspectJson.object;
import static dev.weir.log.InspectJson.time;
import static dev.weir.log.InspectJson.tree;

import dev.weir.log.RunResult.ModelUse;
import dev.weir.log.RunResult.ScorerMetrics;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a run was, as Inspect's logs have it: {@code _journal/start.json} when it began and {@code
 * header.json} when it ended.
 */
final class InspectHeaderWriter {

  private static final int VERSION = 2;

  private InspectHeaderWriter() {}

  static ObjectNode start(RunStart start) {
    ObjectNode json = object();
    json.put("version", VERSION);
    json.set("eval", eval(start));
    json.set("plan", plan(start));
    return json;
  }

  /**
   * @param limits how windows changed
   * @param changes what somebody did to the run
   */
  static ObjectNode header(RunResult result, List<LimitChange> limits, List<ConfigChange> changes) {
    ObjectNode json = object();
    json.put("version", VERSION);
    json.put("status", status(result.status()));
    json.set("eval", eval(result.start()));
    json.set("plan", plan(result.start()));
    json.set("results", results(result));
    json.set("stats", stats(result, limits));
    if (result.status() == RunResult.Status.ERROR) {
      String why = result.error().orElse("the run has failed");
      json.set("error", InspectJson.error(why, result.traceback().orElse(why)));
    }
    json.put("invalidated", false);
    json.set("tags", InspectJson.texts(result.start().tags()));
    json.set("metadata", tree(result.start().metadata()));
    if (!changes.isEmpty()) {
      ArrayNode updates = json.putArray("config_updates");
      changes.forEach(change -> updates.add(update(change)));
    }
    return json;
  }

  static String status(RunResult.Status status) {
    return switch (status) {
      case SUCCESS -> "success";
      case ERROR -> "error";
      case CANCELLED -> "cancelled";
    };
  }

  private static ObjectNode eval(RunStart start) {
    ObjectNode json = object();
    json.put("eval_id", start.runId());
    json.put("run_id", start.runId());
    json.put("created", time(start.started()));
    json.put("task", start.task());
    json.put("task_id", start.taskId());
    json.put("task_version", 0);
    start.origin().ifPresent(origin -> json.put("task_file", origin.source()));
    json.putObject("task_attribs");
    Map<String, String> arguments = start.origin().map(TaskOrigin::arguments).orElse(Map.of());
    json.set("task_args", tree(arguments));
    json.set("task_args_passed", tree(arguments));
    ObjectNode dataset = json.putObject("dataset");
    dataset.put("name", start.dataset().name());
    start.dataset().location().ifPresent(location -> dataset.put("location", location));
    dataset.put("samples", start.samples());
    dataset.set("sample_ids", tree(start.dataset().sampleIds()));
    dataset.put("shuffled", start.dataset().shuffled());
    json.put("model", start.model());
    json.set("model_generate_config", InspectOptions.generation(start.config()));
    json.set("model_args", InspectOptions.modelArguments(start.config()));
    String address = start.config().get("model_base_url");
    if (address != null) {
      json.put("model_base_url", address);
    }
    if (!start.roles().isEmpty()) {
      ObjectNode roles = json.putObject("model_roles");
      start
          .roles()
          .forEach(
              (role, model) -> {
                ObjectNode config = roles.putObject(role).put("model", model);
                config.putObject("config");
                config.putObject("args");
              });
    }
    json.set("config", config(start));
    json.putObject("packages").put("weir", version());
    ArrayNode scorers = json.putArray("scorers");
    start.scorers().forEach(name -> scorers.addObject().put("name", name));
    if (!start.tags().isEmpty()) {
      json.set("tags", InspectJson.texts(start.tags()));
    }
    ObjectNode metadata = json.putObject("metadata");
    start.metadata().forEach(metadata::put);
    metadata.set(InspectJson.WEIR, own(start));
    return json;
  }

  /** All of it but the names of the samples, which may be many and stand elsewhere. */
  private static ObjectNode own(RunStart start) {
    ObjectNode own = (ObjectNode) tree(start);
    ((ObjectNode) own.path("dataset")).remove("sample_ids");
    return own;
  }

  static String version() {
    String version = InspectHeaderWriter.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }

  private static ObjectNode config(RunStart start) {
    ObjectNode json = InspectOptions.run(start.config());
    json.put("epochs", start.epochs());
    return json;
  }

  private static ObjectNode plan(RunStart start) {
    ObjectNode json = object();
    json.put("name", "plan");
    ArrayNode steps = json.putArray("steps");
    for (RunStart.Step step : start.solvers()) {
      ObjectNode written = steps.addObject().put("solver", step.solver());
      written.set("params", tree(step.arguments()));
      written.set("params_passed", tree(step.arguments()));
    }
    json.putObject("config");
    return json;
  }

  private static ObjectNode results(RunResult result) {
    ObjectNode json = object();
    json.put("total_samples", result.samples().total());
    json.put("completed_samples", result.samples().scored());
    ArrayNode scores = json.putArray("scores");
    result.scores().forEach(score -> scores.add(score(score, result)));
    ObjectNode own = (ObjectNode) tree(result);
    own.remove("start");
    json.putObject("metadata").set(InspectJson.WEIR, own);
    return json;
  }

  private static ObjectNode score(ScorerMetrics score, RunResult result) {
    ObjectNode json = object();
    json.put("name", score.scorer());
    json.put("scorer", score.scorer());
    json.put("reducer", score.reducer());
    score
        .scored()
        .ifPresent(
            scored -> {
              json.put("scored_samples", scored);
              json.put("unscored_samples", Math.max(0, result.start().samples() - scored));
            });
    json.putObject("params");
    ObjectNode metrics = json.putObject("metrics");
    score
        .metrics()
        .forEach(
            (name, value) -> {
              if (Double.isFinite(value)) {
                metrics.putObject(name).put("name", name).put("value", value).putObject("params");
              }
            });
    score.interval().ifPresent(range -> json.putObject("metadata").set("interval", tree(range)));
    return json;
  }

  private static ObjectNode stats(RunResult result, List<LimitChange> limits) {
    ObjectNode json = object();
    json.put("started_at", time(result.start().started()));
    json.put("completed_at", time(result.ended()));
    ObjectNode models = json.putObject("model_usage");
    ObjectNode roles = json.putObject("role_usage");
    Map<String, Tokens> tokens = new HashMap<>();
    Map<String, Cost> costs = new HashMap<>();
    for (ModelUse use : result.models()) {
      // One model may have several roles.
      Tokens all = tokens.merge(use.model(), use.tokens(), Tokens::plus);
      models.set(
          use.model(), InspectJson.usage(all, costs.merge(use.model(), use.cost(), Cost::plus)));
      if (!use.role().equals(ModelCall.EVALUATED)) {
        roles.set(use.role(), InspectJson.usage(use.tokens(), use.cost()));
      }
    }
    ArrayNode history = json.putArray("connection_limit_history");
    for (LimitChange change : limits) {
      history
          .addObject()
          .put("timestamp", change.at().toEpochMilli() / 1e3)
          .put("model", change.model())
          .put("old_limit", change.before())
          .put("new_limit", change.after())
          .put("reason", reason(change));
    }
    return json;
  }

  /** Readers know four reasons, and do not read a log with another one. */
  private static String reason(LimitChange change) {
    return switch (change.reason()) {
      case "slow_start", "steady_state_up", "rate_limit", "manual" -> change.reason();
      default -> change.after() < change.before() ? "rate_limit" : "steady_state_up";
    };
  }

  private static ObjectNode update(ConfigChange change) {
    ObjectNode json = object();
    ObjectNode value = json.putArray("changes").addObject();
    // Readers know three kinds, and limits are the only change of one of the others.
    value.put("config", change.what().startsWith("limits of ") ? "concurrency" : "eval");
    value.put("name", change.what());
    value.put("value", change.after());
    value.put("previous", change.before().orElse(null));
    value.put("cleared", false);
    json.put("scope", "task");
    ObjectNode provenance = json.putObject("provenance");
    provenance.put("timestamp", time(change.at()));
    provenance.put("author", change.author());
    change.reason().ifPresent(reason -> provenance.put("reason", reason));
    provenance.putObject("metadata");
    return json;
  }
}
