package dev.weir.cli;

import dev.weir.eval.run.ModelProgress;
import dev.weir.eval.run.ModelProgress.Rate;
import dev.weir.eval.run.RunProgress;
import dev.weir.limits.Lane;
import dev.weir.limits.Waiting;
import dev.weir.limits.event.Constraint;
import dev.weir.limits.header.Dimension;
import dev.weir.log.Tokens;
import dev.weir.model.price.Spend;
import dev.weir.statistics.Intervals;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** Runs and models at made-up moments. */
final class Moments {

  static final Lane.Status IDLE = new Lane.Status(0, 10, 0, 0, 0);

  private Moments() {}

  /** With answers of which three of four are right. */
  static RunProgress run(String task, int total, int scored, int failed, int running) {
    long right = (long) Math.floor(scored * 0.75);
    return new RunProgress(
        task,
        "openai/gpt-4o-mini",
        total,
        scored,
        failed,
        running,
        running,
        Optional.empty(),
        score(right, scored),
        new Lane.Status(running, 40, 0, 0, 3),
        new Waiting(Constraint.NOTHING, "", OptionalLong.empty()),
        Optional.empty(),
        Tokens.NONE,
        Spend.NONE,
        Duration.ofSeconds(35),
        Optional.empty(),
        Optional.empty(),
        scored + failed == total);
  }

  static RunProgress bounded(RunProgress run, int maxSamples) {
    return with(run, Optional.of(maxSamples), run.paused(), run.ending());
  }

  static RunProgress paused(RunProgress run, String why) {
    return with(run, run.maxSamples(), Optional.of(why), run.ending());
  }

  static RunProgress ending(RunProgress run, String why) {
    return with(run, run.maxSamples(), run.paused(), Optional.of(why));
  }

  private static RunProgress with(
      RunProgress run,
      Optional<Integer> maxSamples,
      Optional<String> paused,
      Optional<String> ending) {
    return new RunProgress(
        run.task(),
        run.model(),
        run.total(),
        run.scored(),
        run.failed(),
        run.running(),
        run.inFlight(),
        maxSamples,
        run.score(),
        run.lane(),
        run.waitingFor(),
        run.waitsFor(),
        run.tokens(),
        run.spend(),
        run.elapsed(),
        paused,
        ending,
        run.ended());
  }

  private static Optional<RunProgress.Score> score(long right, int scored) {
    return scored == 0
        ? Optional.empty()
        : Optional.of(
            new RunProgress.Score(
                (double) right / scored, Optional.of(Intervals.wilson(right, scored, 0.95))));
  }

  /** With an ETA as if it went on as it did. */
  static RunView view(String task, int total, int scored, int failed, int running) {
    RunProgress run = run(task, total, scored, failed, running);
    return new RunView(run, new Outlook(0).left(run), Optional.empty());
  }

  /** If it waits for a quota, then for that of tokens. */
  static ModelProgress model(
      String name, Lane.Status lane, Constraint constraint, Optional<Duration> wait) {
    boolean counts = constraint == Constraint.QUOTA || constraint == Constraint.PACE;
    return model(
        name, lane, constraint, counts ? Optional.of(Dimension.TOKENS) : Optional.empty(), wait);
  }

  static ModelProgress model(
      String name,
      Lane.Status lane,
      Constraint constraint,
      Optional<Dimension> dimension,
      Optional<Duration> wait) {
    return new ModelProgress(
        name,
        lane,
        new Waiting(constraint, dimension, name, OptionalLong.empty()),
        wait,
        3,
        Optional.of("429"),
        List.of(
            new Rate(Dimension.REQUESTS, 412, OptionalDouble.of(500)),
            new Rate(Dimension.TOKENS, 187_250, OptionalDouble.of(200_000))),
        new Spend(new BigDecimal("0.0123"), 300, 0));
  }

  static ModelProgress waitingForTokens() {
    return model(
        "openai/gpt-4o-mini",
        new Lane.Status(25, 40, 163, 0, 12),
        Constraint.QUOTA,
        Optional.of(Duration.ofMillis(1_150)));
  }
}
