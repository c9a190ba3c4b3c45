package dev.weir.cli.control;

import dev.weir.eval.EvaluationControl;
import dev.weir.eval.EvaluationControl.By;
import dev.weir.eval.EvaluationControl.RunState;
import dev.weir.eval.option.Option;
import dev.weir.eval.option.Options;
import dev.weir.eval.option.Settings;
import dev.weir.eval.run.Pause;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Spelling;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** What can be asked of an evaluation, as docs/ctl.md tells. Thread-safe. */
final class ControlCommands {

  private static final JsonMapper JSON = new JsonMapper();

  /** Each command with the fields that it knows. */
  private static final Map<String, List<String>> COMMANDS = new LinkedHashMap<>();

  static {
    COMMANDS.put("list", List.of());
    COMMANDS.put("show", List.of());
    COMMANDS.put("limits", List.of("model", "limits", "reason"));
    COMMANDS.put("pause", List.of("now", "reason"));
    COMMANDS.put("resume", List.of("reason"));
    COMMANDS.put("cancel", List.of("reason"));
    COMMANDS.put("cancel-sample", List.of("sample", "epoch", "task", "model", "error", "reason"));
    COMMANDS.put("flush", List.of("reason"));
  }

  /** What can be changed while a run goes on; options of weir eval. */
  private static final List<String> LIMITS =
      List.of("max_connections", "rpm", "tpm", "concurrency_mode", "adaptive_connections");

  private final EvaluationControl evaluation;
  private final long pid;

  ControlCommands(EvaluationControl evaluation, long pid) {
    this.evaluation = evaluation;
    this.pid = pid;
  }

  /** The answer to a request, whatever it is. */
  String reply(String request) {
    Map<String, Object> reply = new LinkedHashMap<>();
    reply.put(ControlWire.VERSION_FIELD, ControlWire.VERSION);
    try {
      reply.put("result", result(ControlRequest.read(request, COMMANDS)));
    } catch (ConfigurationException | IOException refused) {
      reply.put("error", String.valueOf(refused.getMessage()));
    } catch (RuntimeException defect) {
      reply.put("error", "the request could not be answered: " + defect);
    }
    try {
      return JSON.writeValueAsString(reply);
    } catch (JacksonException unwritable) {
      throw new IllegalStateException("a reply cannot be written", unwritable);
    }
  }

  private Map<String, Object> result(ControlRequest request) throws IOException {
    var by = new By(System.getProperty("user.name"), request.text("reason"));
    return switch (request.command()) {
      case "list" -> ControlPicture.summary(evaluation, pid);
      case "show" -> ControlPicture.whole(evaluation, pid);
      case "limits" -> retune(request, by);
      case "pause" -> paused(request.flag("now") ? Pause.CALLS : Pause.SAMPLES, by);
      case "resume" -> paused(Pause.NONE, by);
      case "cancel" -> {
        evaluation.cancel(by);
        yield Map.of("cancelled", true);
      }
      case "cancel-sample" -> endSample(request, by);
      case "flush" -> Map.of("logs", evaluation.flush(by).stream().map(this::durable).toList());
      default -> throw new IllegalStateException("not a command: " + request.command());
    };
  }

  private Map<String, Object> retune(ControlRequest request, By by) {
    Settings limits = Settings.NONE;
    for (Map.Entry<String, String> limit : request.words("limits").entrySet()) {
      if (!LIMITS.contains(limit.getKey())) {
        throw new ConfigurationException(
            "there is no limit '%s'%s"
                .formatted(limit.getKey(), Spelling.hint(limit.getKey(), LIMITS)));
      }
      Option option = Options.named(limit.getKey());
      limits = limits.with(option, limit.getValue(), "--" + option.name());
    }
    return Map.of("limits", evaluation.retune(request.text("model"), limits, by));
  }

  private Map<String, Object> paused(Pause pause, By by) {
    evaluation.pause(pause, by);
    int running =
        evaluation.runs(0).stream()
            .map(RunState::progress)
            .mapToInt(progress -> progress.running())
            .sum();
    return Map.of("pause", pause.word(), "running", running);
  }

  private Map<String, Object> endSample(ControlRequest request, By by) {
    String sample =
        request
            .text("sample")
            .orElseThrow(() -> new ConfigurationException("the field `sample` is missing"));
    boolean asError = request.flag("error");
    Optional<Integer> epoch = request.count("epoch");
    evaluation.endSample(sample, epoch, request.text("task"), request.text("model"), asError, by);
    return Map.of("sample", sample, "as", asError ? "error" : "scored");
  }

  private Map<String, Object> durable(EvaluationControl.Durable log) {
    Map<String, Object> told = new LinkedHashMap<>();
    told.put("id", log.id());
    told.put("log", log.log().toString());
    told.put("records", log.records());
    told.put("samples", log.samples());
    return told;
  }
}
