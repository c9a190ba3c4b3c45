package dev.weir.cli;

import dev.weir.model.Printable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** What evaluations tell of themselves, for people. */
final class CtlTable {

  private CtlTable() {}

  /** To the second. */
  private static String started(JsonNode evaluation) {
    return text(evaluation, "started").replaceFirst("\\..*Z$", "Z");
  }

  static List<String> list(List<JsonNode> running) {
    if (running.isEmpty()) {
      return List.of("No evaluation of yours runs on this machine.");
    }
    List<String> lines = new ArrayList<>();
    String row = "%-14s %8s  %-20s  %-13s  %s";
    lines.add(row.formatted("run", "pid", "started", "samples", "task on model").stripTrailing());
    for (JsonNode evaluation : running) {
      String started = started(evaluation);
      for (JsonNode run : evaluation.path("runs")) {
        lines.add(
            row.formatted(
                text(run, "id"),
                evaluation.path("pid").asString(),
                started,
                done(run) + "/" + run.path("samples").asInt(),
                text(run, "task") + " on " + text(run, "model") + state(evaluation, run)));
      }
    }
    return lines;
  }

  private static String state(JsonNode evaluation, JsonNode run) {
    if (run.path("ended").asBoolean()) {
      return " (ended)";
    }
    boolean isPaused =
        run.path("paused").isString() || !List.of("", "none").contains(text(evaluation, "pause"));
    return isPaused ? " (paused)" : "";
  }

  private static int done(JsonNode run) {
    return run.path("scored").asInt() + run.path("failed").asInt();
  }

  static List<String> show(JsonNode evaluation) {
    List<String> lines = new ArrayList<>();
    lines.add(
        "%s, process %s, since %s%s"
            .formatted(
                text(evaluation, "id"),
                evaluation.path("pid").asString(),
                started(evaluation),
                switch (text(evaluation, "pause")) {
                  case "samples" -> ", paused: no new samples start";
                  case "calls" -> ", paused: calls are held";
                  default -> "";
                }));
    evaluation.path("models").forEach(model -> lines.addAll(model(model)));
    evaluation.path("runs").forEach(run -> lines.addAll(run(run)));
    return lines;
  }

  private static List<String> model(JsonNode model) {
    List<String> lines = new ArrayList<>();
    lines.add("");
    lines.add("%s (%s)".formatted(text(model, "model"), text(model, "mode")));
    lines.add(
        "  window %d, in flight %s, waiting %d, backing off %d; %s, %s%s"
            .formatted(
                model.path("window").asInt(),
                model.path("in_flight").isNumber() ? text(model, "in_flight") : "–",
                model.path("waiting").asInt(),
                model.path("backing_off").asInt(),
                Numbers.retries(model.path("retries").asLong()),
                Numbers.count(model.path("refusals").asLong(), "refusal"),
                model.path("last_failure").isString()
                    ? ", the last failure was " + text(model, "last_failure")
                    : ""));
    if (!text(model, "waits_for").equals("nothing")) {
      lines.add(
          "  the next call waits for: %s%s"
              .formatted(
                  text(model, "waits_for"),
                  model.path("waits_seconds").isNumber()
                      ? ", " + Numbers.wait(seconds(model, "waits_seconds"))
                      : ""));
    }
    for (JsonNode rate : model.path("rates")) {
      lines.add(
          "  %s per minute: %s%s"
              .formatted(
                  text(rate, "of"),
                  Numbers.brief(rate.path("per_minute").asDouble()),
                  rate.path("quota").isNumber()
                      ? " of " + Numbers.brief(rate.path("quota").asDouble())
                      : ""));
    }
    return lines;
  }

  private static List<String> run(JsonNode run) {
    List<String> lines = new ArrayList<>();
    lines.add("");
    lines.add(
        "%s on %s: %d scored, %d failed, %d running, %d waiting, of %s in %s%s"
            .formatted(
                text(run, "task"),
                text(run, "model"),
                run.path("scored").asInt(),
                run.path("failed").asInt(),
                run.path("running").asInt(),
                run.path("waiting").asInt(),
                Numbers.count(run.path("samples").asInt(), "sample"),
                Numbers.clock(seconds(run, "elapsed_seconds")),
                end(run)));
    for (JsonNode sample : run.path("oldest")) {
      lines.add(
          "  %8s  sample %s, epoch %d%s"
              .formatted(
                  Numbers.clock(seconds(sample, "age_seconds")),
                  text(sample, "id"),
                  sample.path("epoch").asInt(),
                  sample.path("scoring").asBoolean() ? ", scoring" : ""));
    }
    return lines;
  }

  private static String end(JsonNode run) {
    if (run.path("ended").asBoolean()) {
      return ", ended";
    }
    return run.path("paused").isString() ? ", paused: " + text(run, "paused") : "";
  }

  static List<String> flushed(JsonNode result) {
    List<String> lines = new ArrayList<>();
    for (JsonNode log : result.path("logs")) {
      lines.add(
          "%s: %s on the disk; %s ended so far"
              .formatted(
                  text(log, "log"),
                  Numbers.count(log.path("records").asLong(), "record"),
                  Numbers.count(log.path("samples").asLong(), "sample")));
    }
    return lines.isEmpty() ? List.of("No log is open.") : lines;
  }

  private static Duration seconds(JsonNode of, String field) {
    return Duration.ofMillis((long) (of.path(field).asDouble() * 1e3));
  }

  private static String text(JsonNode of, String field) {
    return Printable.line(of.path(field).asString());
  }
}
