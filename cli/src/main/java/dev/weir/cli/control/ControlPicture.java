package dev.weir.cli.control;

import dev.weir.eval.EvaluationControl;
import dev.weir.eval.EvaluationControl.RunState;
import dev.weir.eval.run.ModelProgress;
import dev.weir.eval.run.OpenSample;
import dev.weir.eval.run.RunProgress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** An evaluation at one moment, as it is told to others. */
final class ControlPicture {

  private static final int MOST_SAMPLES = 20;
  private static final int MOST_RUNS = 200;

  private ControlPicture() {}

  /** What it is, and how far. */
  static Map<String, Object> summary(EvaluationControl evaluation, long pid) {
    return picture(evaluation, pid, 0);
  }

  /** With the limits of its models, and the oldest samples that run. */
  static Map<String, Object> whole(EvaluationControl evaluation, long pid) {
    Map<String, Object> told = picture(evaluation, pid, MOST_SAMPLES);
    told.put(
        "models", evaluation.models().stream().map(model -> model(evaluation, model)).toList());
    return told;
  }

  private static Map<String, Object> picture(
      EvaluationControl evaluation, long pid, int mostSamples) {
    List<RunState> runs = evaluation.runs(mostSamples);
    Map<String, Object> told = new LinkedHashMap<>();
    told.put("id", evaluation.id());
    told.put("pid", pid);
    told.put("started", evaluation.started().toString());
    told.put("pause", runs.getFirst().pause().word());
    told.put("runs", runs.stream().limit(MOST_RUNS).map(run -> run(run, mostSamples > 0)).toList());
    told.put("more_runs", Math.max(0, runs.size() - MOST_RUNS));
    return told;
  }

  private static Map<String, Object> run(RunState run, boolean withSamples) {
    RunProgress progress = run.progress();
    Map<String, Object> told = new LinkedHashMap<>();
    told.put("id", run.id());
    told.put("task", progress.task());
    told.put("model", progress.model());
    told.put("samples", progress.total());
    told.put("scored", progress.scored());
    told.put("failed", progress.failed());
    told.put("running", progress.running());
    told.put("waiting", Math.max(0, progress.total() - progress.done() - progress.running()));
    told.put("elapsed_seconds", seconds(progress.elapsed()));
    told.put("paused", progress.paused().orElse(null));
    told.put("ended", progress.ended());
    if (withSamples) {
      told.put("oldest", run.oldest().stream().map(ControlPicture::sample).toList());
    }
    return told;
  }

  private static Map<String, Object> sample(OpenSample sample) {
    Map<String, Object> told = new LinkedHashMap<>();
    told.put("id", sample.id());
    told.put("epoch", sample.epoch());
    told.put("age_seconds", seconds(sample.age()));
    told.put("scoring", sample.isScoring());
    return told;
  }

  private static Map<String, Object> model(EvaluationControl evaluation, ModelProgress model) {
    Map<String, Object> told = new LinkedHashMap<>();
    told.put("model", model.model());
    told.put("mode", evaluation.mode(model.model()).orElse("batch"));
    told.put("window", model.lane().window());
    // Its counts would show limits, which are confidential.
    boolean isConfidential = model.lane().hasEngineLimit();
    told.put("in_flight", isConfidential ? null : model.lane().inFlight());
    told.put("waiting", model.lane().waiting());
    told.put("backing_off", model.lane().backingOff());
    told.put("retries", model.lane().retries());
    told.put("refusals", model.refusals());
    told.put("last_failure", model.lastFailure().orElse(null));
    told.put("waits_for", model.waitingFor().constraint().word());
    told.put("waits_seconds", model.waitsFor().map(ControlPicture::seconds).orElse(null));
    told.put(
        "rates",
        isConfidential ? List.of() : model.rates().stream().map(ControlPicture::rate).toList());
    return told;
  }

  private static Map<String, Object> rate(ModelProgress.Rate rate) {
    Map<String, Object> told = new LinkedHashMap<>();
    told.put("of", rate.dimension().word());
    told.put("per_minute", rate.perMinute());
    told.put("quota", rate.quota().isPresent() ? rate.quota().getAsDouble() : null);
    return told;
  }

  private static double seconds(Duration duration) {
    return duration.toMillis() / 1e3;
  }
}
