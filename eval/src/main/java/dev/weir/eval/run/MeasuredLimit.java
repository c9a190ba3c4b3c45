package dev.weir.eval.run;

import dev.weir.limits.Held;
import dev.weir.limits.Lane;
import dev.weir.limits.Mode;
import dev.weir.limits.event.Constraint;
import dev.weir.limits.header.Dimension;
import dev.weir.log.RunResult.LimitedBy;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a model limited a run by, as measured: the time of the run during which calls waited for it.
 * Guarded by its owner.
 */
final class MeasuredLimit {

  /** What holds calls up for less than this part of the time does not limit a run. */
  private static final double LEAST_SHARE = 0.1;

  private static final String TIER = "the tier";

  private final Lane lane;
  // When the run began: other runs may have used the lane before.
  private final Map<Cause, Duration> before;

  private record Cause(Constraint constraint, Optional<Dimension> dimension) {
    static Cause of(Held held) {
      return new Cause(held.constraint(), held.dimension());
    }
  }

  /** Measures from now on. */
  MeasuredLimit(Lane lane) {
    this.lane = lane;
    lane.measureHeld();
    this.before = new HashMap<>();
    lane.held().forEach(held -> before.put(Cause.of(held), held.time()));
  }

  /**
   * What limited the calls most, if anything did for long.
   *
   * @param ofRun how long the run took
   * @param full for how long as many samples were open as may be
   * @param meter knows the quotas of the model
   */
  Optional<LimitedBy> limitedBy(Duration ofRun, Duration full, Optional<ModelMeter> meter) {
    List<Held> during =
        lane.held().stream()
            .map(
                held ->
                    new Held(
                        held.constraint(),
                        held.dimension(),
                        held.time().minus(before.getOrDefault(Cause.of(held), Duration.ZERO))))
            .toList();
    // Samples limit a run only while no call waits.
    Duration ofSamples =
        full.minus(during.stream().map(Held::time).reduce(Duration.ZERO, Duration::plus));
    Optional<Held> longest = during.stream().max(Comparator.comparing(Held::time));
    Optional<LimitedBy> limit =
        longest.filter(held -> held.time().compareTo(ofSamples) > 0).isPresent()
            ? longest.map(held -> limitedBy(held, ofRun, meter))
            : Optional.of(
                limitedBy(
                    "samples open at once (--max-samples)", "--max-samples", ofSamples, ofRun));
    return limit.filter(found -> found.share() >= LEAST_SHARE);
  }

  private LimitedBy limitedBy(Held held, Duration ofRun, Optional<ModelMeter> meter) {
    Duration time = held.time();
    return switch (held.constraint()) {
      case QUOTA ->
          limitedBy(
              held.dimension().map(MeasuredLimit::perMinute).orElse("a quota"), TIER, time, ofRun);
      case PACE -> pace(held, ofRun, meter);
      case WINDOW -> window(time, ofRun);
      case MAX_CONCURRENCY ->
          limitedBy(
              "calls in flight over all models (--max-concurrency)",
              "--max-concurrency",
              time,
              ofRun);
      case ENGINE_LIMIT -> limitedBy(LimitedBy.ENGINE_LIMIT, time, ofRun);
      case DELAY -> limitedBy("the time between calls (--delay)", time, ofRun);
      case PAUSE -> limitedBy("a pause", time, ofRun);
      case HOLD -> limitedBy("waits that the provider asked for (retry-after)", time, ofRun);
      case BACKOFF -> limitedBy("waits before calls were retried", time, ofRun);
      case CIRCUIT -> limitedBy("a provider that did not answer", time, ofRun);
      case OVERLOAD -> limitedBy("an overloaded provider", time, ofRun);
      case PROBE -> limitedBy("a provider that refused every call", time, ofRun);
      case LEASE -> limitedBy("its share of the limits", time, ofRun);
      case NOTHING, TURN -> limitedBy("other calls", time, ofRun);
    };
  }

  private static LimitedBy pace(Held held, Duration ofRun, Optional<ModelMeter> meter) {
    Optional<ModelProgress.Rate> rate =
        meter.flatMap(
            known ->
                known.progress().rates().stream()
                    .filter(of -> held.dimension().filter(of.dimension()::equals).isPresent())
                    .filter(of -> of.quota().isPresent())
                    .findFirst());
    if (rate.isEmpty()) {
      return limitedBy(
          "a pace that starts low, since no limit is known (--rpm states one)", held.time(), ofRun);
    }
    String words = perMinute(rate.get().dimension());
    if (!rate.get().isGiven()) {
      return limitedBy(words, TIER, held.time(), ofRun);
    }
    String option = rate.get().dimension() == Dimension.REQUESTS ? "--rpm" : "--tpm";
    return limitedBy("%s (%s)".formatted(words, option), option, held.time(), ofRun);
  }

  private LimitedBy window(Duration time, Duration ofRun) {
    Mode mode = lane.mode();
    if (lane.status().window() < mode.mostInFlight()) {
      return limitedBy("the window of mode %s".formatted(word(mode)), time, ofRun);
    }
    String option =
        switch (mode) {
          case Mode.Static _, Mode.Pace _ -> "--max-connections";
          case Mode.Aimd _ -> "the upper end of --adaptive-connections";
          case Mode.Halving _ -> "--max-concurrency";
        };
    return limitedBy("calls in flight (%s)".formatted(option), option, time, ofRun);
  }

  private static String word(Mode mode) {
    return switch (mode) {
      case Mode.Static _ -> "static";
      case Mode.Pace _ -> "pace";
      case Mode.Aimd _ -> "aimd";
      case Mode.Halving _ -> "halving";
    };
  }

  private static LimitedBy limitedBy(String limit, Duration time, Duration ofRun) {
    return new LimitedBy(
        limit, share(time, ofRun), seconds(time), Optional.empty(), Optional.empty());
  }

  private static LimitedBy limitedBy(String limit, String doubling, Duration time, Duration ofRun) {
    // Where that much goes at once, calls wait half as long.
    double saved = seconds(time) / 2;
    return new LimitedBy(
        limit, share(time, ofRun), seconds(time), Optional.of(doubling), Optional.of(saved));
  }

  private static double share(Duration time, Duration ofRun) {
    return ofRun.isZero() ? 0 : Math.clamp(seconds(time) / seconds(ofRun), 0, 1);
  }

  private static double seconds(Duration time) {
    return time.toNanos() / 1e9;
  }

  private static String perMinute(Dimension dimension) {
    return dimension.word().replace('-', ' ') + " per minute";
  }
}
