package dev.weir.eval.option;

import dev.weir.limits.Mode;
import dev.weir.limits.OutageBounds;
import dev.weir.limits.RateCeiling;
import dev.weir.limits.control.AimdSettings;
import dev.weir.limits.pace.PaceSettings;
import dev.weir.limits.retry.AttemptTimeout;
import dev.weir.limits.retry.RetryBounds;
import dev.weir.model.ConfigurationException;
import dev.weir.model.DurationText;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/**
 * The options of a run that regulate its calls.
 *
 * @param concurrencyMode how the window or pace is found; the other options choose it if absent
 * @param adaptiveConnections {@code true}, {@code false}, {@code 80}, {@code 4-80} or {@code
 *     4-40-80}
 * @param cooldownSeconds the least time between two cuts of mode {@code aimd}
 * @param decreaseFactor what a cut of mode {@code aimd} leaves of the window
 * @param scaleUpPercent the share of the window that a clean round adds in mode {@code aimd}
 * @param maxConnections calls in flight per model; without a mode it means a fixed window
 * @param maxConcurrency calls in flight over all models
 * @param rpm requests per minute of the tier: the most that is sent, and where mode {@code pace}
 *     starts
 * @param tpm tokens per minute, likewise
 * @param delay least time between two starts
 * @param maxRetries attempts of a request beyond the first
 * @param timeout for a request with all its attempts and waits
 * @param attemptTimeout for one attempt; if absent, it follows the latency of earlier answers
 * @param minConcurrency the window that modes {@code halving} and {@code aimd} do not cut below
 * @param queueTimeout how long a request waits for its turn; zero for ever
 * @param requestBackoff the first wait after a transient failure
 * @param retry5xx whether a status of 500 is tried again
 * @param selfHosted whether the server is one's own and queues what it cannot do: mode {@code pace}
 *     then goes by latency
 * @param maxPoisonedAttempts after how many attempts a request is given up that fails while others
 *     succeed; 0 for never
 * @param maxOutage how long a model may be unreachable before its run ends; zero for no bound
 * @param memory whether the run starts from limits that earlier runs learned, and saves its own
 * @param engineLimits a file of what model engines allow
 */
public record LimitOptions(
    Optional<ConcurrencyMode> concurrencyMode,
    Optional<String> adaptiveConnections,
    Optional<Duration> cooldownSeconds,
    Optional<Double> decreaseFactor,
    Optional<Double> scaleUpPercent,
    Optional<Integer> maxConnections,
    Optional<Integer> maxConcurrency,
    Optional<Double> rpm,
    Optional<Double> tpm,
    Optional<Duration> delay,
    Optional<Integer> maxRetries,
    Optional<Duration> timeout,
    Optional<AttemptTimeout> attemptTimeout,
    Optional<Integer> minConcurrency,
    Optional<Duration> queueTimeout,
    Optional<Duration> requestBackoff,
    Optional<Boolean> retry5xx,
    Optional<Boolean> selfHosted,
    Optional<Integer> maxPoisonedAttempts,
    Optional<Duration> maxOutage,
    Optional<Boolean> memory,
    Optional<Path> engineLimits) {

  /** How long a provider is tried that has never answered. */
  private static final Duration LONGEST_UNREACHED = Duration.ofSeconds(60);

  /** How long a run without a terminal waits for a provider that no longer answers. */
  private static final Duration UNWATCHED_OUTAGE = Duration.ofHours(2);

  private static final String OFF = "off";

  /** How the calls in flight are bounded. */
  public enum ConcurrencyMode {
    STATIC,
    AIMD,
    HALVING,
    PACE;

    /** As it is written. */
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  public static final LimitOptions NONE = parse(OptionWords.NONE);

  /**
   * @throws ConfigurationException if a word cannot be used
   */
  public static LimitOptions parse(OptionWords words) {
    var reader = new OptionReader(words);
    return new LimitOptions(
        reader.choice(
            "concurrency-mode", Arrays.asList(ConcurrencyMode.values()), ConcurrencyMode::word),
        adaptive(reader),
        reader.duration("cooldown-seconds", "s", Duration.ZERO),
        reader.number(
            "decrease-factor", Double.MIN_VALUE, Math.nextDown(1.0), "a number between 0 and 1"),
        reader.number(
            "scale-up-percent", Double.MIN_VALUE, 1, "a share above 0 and at most 1, such as 0.05"),
        reader.whole("max-connections", 1),
        reader.whole("max-concurrency", 1),
        rate(reader, "rpm"),
        rate(reader, "tpm"),
        reader.duration("delay", "ms", Duration.ZERO),
        reader.whole("max-retries", 0),
        reader.duration("timeout", "s", Duration.ofMillis(1)),
        attemptTimeout(reader),
        reader.whole("min-concurrency", 1),
        reader.duration("queue-timeout", "s", Duration.ZERO),
        backoff(reader),
        reader.flag("retry-5xx"),
        reader.flag("self-hosted"),
        poisonedAttempts(reader),
        outage(reader),
        reader.flag("memory"),
        reader.path("engine-limits"));
  }

  /**
   * The mode that the options choose together. An explicit mode is taken; else a number of
   * connections means a fixed window, which wins over adaptive ones; else adaptive connections;
   * else a pace.
   *
   * @throws ConfigurationException if options contradict each other
   */
  public Mode mode() {
    ConcurrencyMode chosen = chosen();
    requireFor(chosen, selfHosted, "self-hosted", ConcurrencyMode.PACE);
    requireFor(chosen, cooldownSeconds, "cooldown-seconds", ConcurrencyMode.AIMD);
    requireFor(chosen, decreaseFactor, "decrease-factor", ConcurrencyMode.AIMD);
    requireFor(chosen, scaleUpPercent, "scale-up-percent", ConcurrencyMode.AIMD);
    if (chosen == ConcurrencyMode.HALVING && maxConnections.isPresent()) {
      throw new ConfigurationException(
          "`max-connections` means nothing in mode halving; its window starts at"
              + " `max-concurrency`");
    }
    if (adaptiveConnections.filter(word -> !word.equals("false")).isPresent()
        && concurrencyMode.filter(mode -> mode != ConcurrencyMode.AIMD).isPresent()) {
      throw new ConfigurationException(
          "`adaptive-connections` is for mode aimd, but the mode is %s; leave one of them out"
              .formatted(chosen.word()));
    }
    return switch (chosen) {
      case STATIC -> new Mode.Static(fixedWindow());
      case AIMD ->
          new Mode.Aimd(
              curved(
                  floored(
                      adaptiveConnections
                          .flatMap(AimdSettings::parse)
                          .orElseGet(AimdSettings::defaults))));
      case HALVING -> {
        int max = maxConcurrency.orElse(Mode.Halving.DEFAULT_MAX_CONCURRENCY);
        yield new Mode.Halving(max, Math.min(minConcurrency.orElse(1), max));
      }
      case PACE ->
          new Mode.Pace(
              new PaceSettings(
                  maxConnections.orElse(PaceSettings.defaults().maxConnections()),
                  rate(rpm),
                  rate(tpm),
                  selfHosted.orElse(false)));
    };
  }

  private static OptionalDouble rate(Optional<Double> perMinute) {
    return perMinute.map(OptionalDouble::of).orElseGet(OptionalDouble::empty);
  }

  /**
   * What {@code rpm} and {@code tpm} bound beside a mode that enforces a window; in mode {@code
   * pace}, its settings have them.
   */
  public RateCeiling ceiling(Mode mode) {
    return mode instanceof Mode.Pace ? RateCeiling.NONE : new RateCeiling(rate(rpm), rate(tpm));
  }

  /** Whether the tier of a model is given. */
  public boolean hasTier() {
    return rpm.isPresent() || tpm.isPresent();
  }

  /**
   * The ceiling that a model has when these options are given while it runs: what they leave out
   * stays as it is.
   *
   * @param mode the mode that it has now
   */
  public RateCeiling retuned(RateCeiling current, Mode mode) {
    return mode instanceof Mode.Pace
        ? RateCeiling.NONE
        : new RateCeiling(
            rpm.map(OptionalDouble::of).orElse(current.requestsPerMinute()),
            tpm.map(OptionalDouble::of).orElse(current.tokensPerMinute()));
  }

  /**
   * The mode for a model that no provider limits: what the options choose, if they do; else there
   * is no pace to be found, and as many calls are made as may ever be in flight.
   *
   * @throws ConfigurationException if options contradict each other
   */
  public Mode modeWithoutProvider() {
    Mode chosen = mode();
    boolean isGiven =
        concurrencyMode.isPresent() || rpm.isPresent() || tpm.isPresent() || selfHosted.isPresent();
    return chosen instanceof Mode.Pace && !isGiven
        ? new Mode.Static(chosen.mostInFlight())
        : chosen;
  }

  /**
   * The mode that a model in another one has when these options are given while it runs: without a
   * mode they change the bounds of the one it has.
   *
   * @param rates what was given per minute before; it holds in another mode, too
   * @throws ConfigurationException if they mean nothing in that mode
   */
  public Mode retuned(Mode current, RateCeiling rates) {
    if (concurrencyMode.isPresent() || adaptiveConnections.isPresent()) {
      return mode() instanceof Mode.Pace(var pace) ? paced(pace, rates) : mode();
    }
    if (maxConnections.isEmpty() && rpm.isEmpty() && tpm.isEmpty()) {
      throw new ConfigurationException(
          "no limit is given; use --max-connections, --rpm, --tpm or --concurrency-mode");
    }
    int max = maxConnections.orElse(current.mostInFlight());
    return switch (current) {
      case Mode.Static _ -> new Mode.Static(max);
      case Mode.Aimd(var range) ->
          new Mode.Aimd(
              range.withBounds(Math.min(range.min(), max), Math.min(range.start(), max), max));
      case Mode.Halving(_, int min) -> new Mode.Halving(max, Math.min(min, max));
      case Mode.Pace(var pace) ->
          paced(
              new PaceSettings(
                  max, pace.requestsPerMinute(), pace.tokensPerMinute(), pace.selfHosted()),
              rates);
    };
  }

  /** Where a fixed window is asked for by its mode, the bound on all calls is the only number. */
  private int fixedWindow() {
    boolean isMode = concurrencyMode.filter(mode -> mode == ConcurrencyMode.STATIC).isPresent();
    return maxConnections
        .or(() -> maxConcurrency.filter(_ -> isMode))
        .orElse(Mode.Static.DEFAULT_MAX_CONNECTIONS);
  }

  private Mode paced(PaceSettings pace, RateCeiling rates) {
    return new Mode.Pace(
        new PaceSettings(
            pace.maxConnections(),
            rpm.map(OptionalDouble::of).orElse(rates.requestsPerMinute()),
            tpm.map(OptionalDouble::of).orElse(rates.tokensPerMinute()),
            pace.selfHosted()));
  }

  /** A floor that is given wins over that of the range, and lifts the start if it must. */
  private AimdSettings floored(AimdSettings range) {
    int min = Math.min(minConcurrency.orElse(range.min()), range.max());
    return range.withBounds(min, Math.max(min, range.start()), range.max());
  }

  private AimdSettings curved(AimdSettings range) {
    return range
        .withCooldown(cooldownSeconds.orElse(range.cooldown()))
        .withDecreaseFactor(decreaseFactor.orElse(range.decreaseFactor()))
        .withScaleUpPercent(scaleUpPercent.orElse(range.scaleUpPercent()));
  }

  private static void requireFor(
      ConcurrencyMode chosen, Optional<?> option, String name, ConcurrencyMode mode) {
    if (option.isPresent() && chosen != mode) {
      throw new ConfigurationException(
          "`%s` is for mode %s, but the mode is %s%s"
              .formatted(
                  name,
                  mode.word(),
                  chosen.word(),
                  mode == ConcurrencyMode.AIMD
                      ? "; leave it out, or choose the mode with --adaptive-connections"
                      : ""));
    }
  }

  /** The same for a model of another tier. */
  public LimitOptions withoutTier() {
    return new LimitOptions(
        concurrencyMode,
        adaptiveConnections,
        cooldownSeconds,
        decreaseFactor,
        scaleUpPercent,
        maxConnections,
        maxConcurrency,
        Optional.empty(),
        Optional.empty(),
        delay,
        maxRetries,
        timeout,
        attemptTimeout,
        minConcurrency,
        queueTimeout,
        requestBackoff,
        retry5xx,
        selfHosted,
        maxPoisonedAttempts,
        maxOutage,
        memory,
        engineLimits);
  }

  /**
   * How long a model may be unreachable.
   *
   * @param isWatched whether a person can end the run: then it waits without a bound, unless one is
   *     given
   */
  public OutageBounds outageBounds(boolean isWatched) {
    Optional<Duration> given = maxOutage.filter(Duration::isPositive);
    Optional<Duration> usual =
        isWatched || maxOutage.isPresent() ? Optional.empty() : Optional.of(UNWATCHED_OUTAGE);
    return new OutageBounds(Optional.of(LONGEST_UNREACHED), given.or(() -> usual));
  }

  public RetryBounds retryBounds() {
    // A self-hosted server queues: a long silence says nothing.
    return retryBounds(selfHosted.orElse(false) ? AttemptTimeout.OFF : AttemptTimeout.AUTO);
  }

  /** For a model that answers within this process: no connection to it can hang. */
  public RetryBounds retryBoundsWithoutProvider() {
    return retryBounds(AttemptTimeout.OFF);
  }

  private RetryBounds retryBounds(AttemptTimeout usual) {
    return new RetryBounds(
        maxRetries.map(OptionalInt::of).orElseGet(OptionalInt::empty),
        timeout,
        attemptTimeout.orElse(usual),
        queueTimeout,
        requestBackoff,
        retry5xx,
        maxPoisonedAttempts.map(OptionalInt::of).orElseGet(OptionalInt::empty));
  }

  private ConcurrencyMode chosen() {
    boolean fixed =
        maxConnections.isPresent() || adaptiveConnections.filter("false"::equals).isPresent();
    if (concurrencyMode.isPresent()) {
      ConcurrencyMode mode = concurrencyMode.get();
      return mode == ConcurrencyMode.AIMD && fixed ? ConcurrencyMode.STATIC : mode;
    }
    if (fixed) {
      return ConcurrencyMode.STATIC;
    }
    return adaptiveConnections.isPresent() ? ConcurrencyMode.AIMD : ConcurrencyMode.PACE;
  }

  private static Optional<String> adaptive(OptionReader reader) {
    return reader.read(
        "adaptive-connections",
        word -> {
          try {
            AimdSettings.parse(word);
            return Optional.of(word);
          } catch (IllegalArgumentException unusable) {
            return Optional.empty();
          }
        },
        "true, false, a maximum such as 80, min-max such as 4-80 or min-start-max such as"
            + " 4-40-80, none of them below the one before");
  }

  private static Optional<AttemptTimeout> attemptTimeout(OptionReader reader) {
    return reader.read(
        "attempt-timeout",
        word ->
            switch (word) {
              case "auto" -> Optional.of(AttemptTimeout.AUTO);
              case OFF -> Optional.of(AttemptTimeout.OFF);
              default ->
                  DurationText.parse(word, "s")
                      .filter(timeout -> timeout.compareTo(Duration.ofMillis(1)) >= 0)
                      .map(AttemptTimeout.After::new);
            },
        "auto, off, or " + DurationText.RULE + ", more than 0");
  }

  private static Optional<Integer> poisonedAttempts(OptionReader reader) {
    return reader.read(
        "max-poisoned-attempts",
        word -> {
          try {
            return word.equals(OFF)
                ? Optional.of(0)
                : Optional.of(Integer.parseInt(word))
                    .filter(attempts -> attempts >= RetryBounds.FEWEST_POISONED_ATTEMPTS);
          } catch (NumberFormatException notANumber) {
            return Optional.empty();
          }
        },
        "off, or a whole number from %d".formatted(RetryBounds.FEWEST_POISONED_ATTEMPTS));
  }

  private static Optional<Duration> outage(OptionReader reader) {
    return reader.read(
        "max-outage",
        word ->
            word.equals(OFF)
                ? Optional.of(Duration.ZERO)
                : DurationText.parse(word, "s").filter(Duration::isPositive),
        "off, or " + DurationText.RULE + ", more than 0");
  }

  private static Optional<Duration> backoff(OptionReader reader) {
    return reader.read(
        "request-backoff",
        word ->
            DurationText.parse(word, "s")
                .filter(
                    wait -> wait.isPositive() && wait.compareTo(RetryBounds.LONGEST_BACKOFF) <= 0),
        DurationText.RULE + ", more than 0 and at most a day");
  }

  private static Optional<Double> rate(OptionReader reader, String option) {
    return reader.number(option, 0.001, 1e11, "a number per minute from 0.001 to 1e11");
  }
}
