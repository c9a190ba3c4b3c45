package dev.weir.simulator.server;

import dev.weir.model.ConfigurationException;
import dev.weir.simulator.answer.Coin;
import dev.weir.simulator.provider.Advertisement;
import dev.weir.simulator.provider.HeaderStyle;
import dev.weir.simulator.provider.ProviderSettings;
import dev.weir.simulator.provider.ProviderSettings.Quota;
import dev.weir.simulator.provider.ProviderSettings.RetryAfter;
import dev.weir.simulator.provider.ProviderSettingsBuilder;
import dev.weir.simulator.provider.RefusalKind;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** A simulated provider, read from settings: what it allows, how fast and what it answers. */
public final class Simulation {

  private static final double SECONDS_PER_MINUTE = 60;
  private static final double DEFAULT_ACCURACY = 0.85;
  private static final Duration DEFAULT_BATCH_TIME = Duration.ofSeconds(5);
  private static final Given DEFAULT_LATENCY = new Given("the default", "400ms:0.4");

  private static final Map<String, HeaderStyle> STYLES = new LinkedHashMap<>();

  static {
    STYLES.put("openai", HeaderStyle.OPENAI);
    STYLES.put("anthropic", HeaderStyle.ANTHROPIC);
    STYLES.put("azure", HeaderStyle.AZURE);
    STYLES.put("gemini", HeaderStyle.GEMINI);
    STYLES.put("retry-after", HeaderStyle.RETRY_AFTER_ONLY);
    STYLES.put("none", HeaderStyle.NONE);
  }

  private final Map<Setting, List<Given>> given;
  private final Optional<Profile> profile;
  private final ProviderSettings provider;
  private final Optional<HeaderStyle> headers;
  private final Optional<Duration> hangTime;
  private final Latency latency;
  private final Duration batchTime;
  private final Script script;
  private final Coin coin;
  private final Optional<String> apiKey;
  private final int reservedTokens;

  private Simulation(Optional<Profile> profile, Map<Setting, List<Given>> given, long seed) {
    this.given = given;
    this.profile = profile;
    this.headers =
        one(Setting.HEADERS)
            .map(word -> word.oneOf(STYLES.keySet()))
            .flatMap(word -> Optional.ofNullable(STYLES.get(word)));
    this.provider = provider();
    this.hangTime = one(Setting.HANG_TIME).map(this::hangTime);
    this.latency = Latency.of(one(Setting.LATENCY).orElse(DEFAULT_LATENCY));
    this.batchTime = one(Setting.BATCH_TIME).map(Given::duration).orElse(DEFAULT_BATCH_TIME);
    this.script = one(Setting.ANSWERS).map(Script::read).orElse(Script.EMPTY);
    this.coin =
        new Coin(
            one(Setting.SEED).map(Given::whole).orElse(seed),
            one(Setting.ACCURACY).map(Given::rate).orElse(DEFAULT_ACCURACY));
    this.reservedTokens = one(Setting.RESERVED_TOKENS).map(Given::count).orElse(0);
    this.apiKey = one(Setting.API_KEY).map(Given::text);
  }

  /**
   * @param profile gives what {@code given} does not
   * @param given by setting; of one that is not repeatable, the last word counts
   * @param freshSeed the seed if none is given
   * @throws ConfigurationException if a value is wrong, or a file of answers cannot be read
   */
  public static Simulation of(
      Optional<Profile> profile, Map<Setting, List<Given>> given, long freshSeed) {
    Map<Setting, List<Given>> all = new EnumMap<>(Setting.class);
    profile.ifPresent(present -> all.putAll(present.given()));
    if (given.containsKey(Setting.RPM) && !given.containsKey(Setting.BURST)) {
      // The burst of a profile is that of its rate.
      all.remove(Setting.BURST);
    }
    if (given.containsKey(Setting.TPM)) {
      // One limit on all tokens stands in for those of a profile on prompts and answers.
      all.remove(Setting.INPUT_TPM);
      all.remove(Setting.OUTPUT_TPM);
    }
    if (given.containsKey(Setting.ADVERTISE)) {
      all.remove(Setting.HEADERS);
    } else if (given.containsKey(Setting.HEADERS)) {
      all.remove(Setting.ADVERTISE);
    }
    all.putAll(given);
    return new Simulation(profile, all, freshSeed);
  }

  public Optional<Profile> profile() {
    return profile;
  }

  public long seed() {
    return coin.seed();
  }

  /** The limits and faults that are simulated, next door to the client. */
  public ProviderSettings settings() {
    return provider;
  }

  /** When the connection of a hung request is closed; empty for never. */
  Optional<Duration> hangTime() {
    return hangTime;
  }

  /** What is reserved for an answer whose request says this, or nothing. */
  int reserved(OptionalInt maxTokens) {
    return maxTokens.orElse(reservedTokens);
  }

  /** A request that is larger than a quota when it is full passes at no time. */
  boolean fitsNoQuota(int promptTokens, int reserved) {
    return tooLarge(promptTokens, reserved).isPresent();
  }

  /** The quota that a request never fits in, if there is one. */
  Optional<TooLarge> tooLarge(int promptTokens, int reserved) {
    return tooLarge(RefusalKind.INPUT_TOKENS, promptTokens, 0, provider.inputTokens())
        .or(() -> tooLarge(RefusalKind.TOKENS, promptTokens, reserved, provider.tokens()));
  }

  private static Optional<TooLarge> tooLarge(
      RefusalKind kind, int promptTokens, int reserved, Optional<Quota> quota) {
    return quota
        .filter(present -> (long) promptTokens + reserved > present.burst())
        .map(present -> new TooLarge(kind, promptTokens, reserved, (long) present.burst()));
  }

  /** What the tier serves at once is being served; another call waits there, or is refused. */
  boolean isFull(int inFlight) {
    return provider.cap().filter(cap -> inFlight >= cap.slots()).isPresent();
  }

  HeaderStyle headers(HeaderStyle ofTheApi) {
    return headers.orElse(ofTheApi);
  }

  Latency latency() {
    return latency;
  }

  /** How long a batch takes. */
  Duration batchTime() {
    return batchTime;
  }

  Script script() {
    return script;
  }

  Coin coin() {
    return coin;
  }

  Optional<String> apiKey() {
    return apiKey;
  }

  private Optional<Given> one(Setting setting) {
    List<Given> words = given.getOrDefault(setting, List.of());
    return words.isEmpty() ? Optional.empty() : Optional.of(words.getLast());
  }

  private List<Given> all(Setting setting) {
    return given.getOrDefault(setting, List.of());
  }

  private ProviderSettings provider() {
    var builder = ProviderSettings.builder().oneWayDelay(Duration.ZERO);
    quotas(builder);
    one(Setting.CAP).ifPresent(word -> cap(word, builder));
    one(Setting.REFUSAL_COST).ifPresent(word -> builder.refusalCost(word.notNegative()));
    one(Setting.ACCELERATION).ifPresent(word -> acceleration(word, builder));
    one(Setting.OTHER_TRAFFIC).ifPresent(word -> otherTraffic(word, builder));
    changes(builder);
    all(Setting.OUTAGE).forEach(word -> outage(word, builder));
    one(Setting.OVERLOAD).ifPresent(word -> overload(word, builder));
    one(Setting.ERROR_RATE).ifPresent(word -> builder.errorRate(word.rate()));
    one(Setting.HANG_RATE).ifPresent(word -> builder.hangRate(word.rate()));
    one(Setting.STRAY_RATE).ifPresent(word -> builder.strayRate(word.rate()));
    advertise(builder);
    return builder.build();
  }

  private void quotas(ProviderSettingsBuilder builder) {
    Optional<Window> window = one(Setting.CALENDAR).map(Window::of);
    window.ifPresent(present -> builder.calendar(present.length, present.phase));
    double minute = window.map(present -> present.length.toNanos() / 60e9).orElse(1.0);
    Optional<Double> rpm = one(Setting.RPM).map(Given::notNegative).filter(rate -> rate > 0);
    Optional<Given> burst = one(Setting.BURST);
    if (burst.isPresent() && rpm.isEmpty()) {
      throw new ConfigurationException(
          burst.get().origin() + " needs a limit on requests; give --rpm too");
    }
    rpm.ifPresent(
        rate ->
            builder.requests(
                Quota.perMinute(
                    rate, burst.map(word -> word.atLeast(1)).orElse(Math.max(1, rate * minute)))));
    quota(Setting.TPM, minute).ifPresent(builder::tokens);
    quota(Setting.INPUT_TPM, minute).ifPresent(builder::inputTokens);
    quota(Setting.OUTPUT_TPM, minute).ifPresent(builder::outputTokens);
    quota(Setting.HIDDEN_RPM, window.isPresent() ? minute : 1 / SECONDS_PER_MINUTE)
        .ifPresent(builder::hiddenRequests);
  }

  private Optional<Quota> quota(Setting setting, double minutes) {
    return one(setting)
        .map(word -> limit(word, minutes))
        .filter(limit -> limit.perMinute > 0)
        .map(limit -> Quota.perMinute(limit.perMinute, limit.burst));
  }

  /**
   * @param minutes how many minutes' worth the burst is, if none is given
   */
  private static Limit limit(Given word, double minutes) {
    List<Given> parts = word.split(":", 1, 2, "N or N:BURST, for example 600:10");
    double perMinute = parts.getFirst().notNegative();
    return new Limit(
        perMinute,
        parts.size() == 2 ? parts.getLast().atLeast(1) : Math.max(1, perMinute * minutes));
  }

  private static void cap(Given word, ProviderSettingsBuilder builder) {
    List<Given> parts = word.split(":", 1, 2, "N or N:queue");
    int slots = parts.getFirst().count();
    if (parts.size() == 1) {
      builder.refusesAbove(slots);
    } else {
      parts.getLast().oneOf(List.of("queue"));
      builder.queuesAbove(slots);
    }
  }

  private static void acceleration(Given word, ProviderSettingsBuilder builder) {
    List<Given> parts = word.split(":", 2, 2, "FACTOR:FLOOR, for example 2:5");
    builder.acceleration(parts.getFirst().positive(), parts.getLast().atLeast(0.1));
  }

  private static void otherTraffic(Given word, ProviderSettingsBuilder builder) {
    List<Given> parts = word.split(":", 1, 2, "RPM or RPM:TPM, for example 60:10000");
    builder.otherTraffic(
        parts.getFirst().notNegative() / SECONDS_PER_MINUTE,
        parts.size() == 2 ? parts.getLast().notNegative() / SECONDS_PER_MINUTE : 0);
  }

  private void changes(ProviderSettingsBuilder builder) {
    record Change(Duration at, double factor) {}
    all(Setting.LIMIT_CHANGE).stream()
        .map(word -> word.split(":", 2, 2, "AT:FACTOR, for example 60s:0.5"))
        .map(parts -> new Change(parts.getFirst().duration(), parts.getLast().positive()))
        .sorted(Comparator.comparing(Change::at))
        .forEach(change -> builder.change(change.at, change.factor));
  }

  private static void outage(Given word, ProviderSettingsBuilder builder) {
    Span span = Span.of(word, "FROM+LENGTH, for example 30s+10s");
    builder.outage(span.from, span.until);
  }

  private static void overload(Given word, ProviderSettingsBuilder builder) {
    String form = "FROM+LENGTH:RATE, for example 30s+60s:0.7";
    List<Given> parts = word.split(":", 2, 2, form);
    Span span = Span.of(parts.getFirst(), form);
    builder.overload(span.from, span.until, parts.getLast().rate());
  }

  /** What a style has no place for is not told; where the API decides, everything is. */
  private void advertise(ProviderSettingsBuilder builder) {
    Optional<Advertisement> way = one(Setting.ADVERTISE).flatMap(this::advertisement);
    if (way.isPresent()) {
      builder.advertise(way.get());
      if (way.get().isUsable()) {
        builder.tellsKind();
      }
      return;
    }
    switch (headers.orElse(HeaderStyle.OPENAI)) {
      case OPENAI, AZURE -> builder.quotaHeaders().tellsKind().retryAfter(RetryAfter.EXACT);
      case ANTHROPIC -> builder.quotaHeaders().tellsKind().retryAfter(RetryAfter.WHOLE_SECONDS);
      case GEMINI -> builder.tellsKind().retryAfter(RetryAfter.EXACT);
      case RETRY_AFTER_ONLY -> builder.retryAfter(RetryAfter.WHOLE_SECONDS);
      case NONE -> {}
    }
  }

  private Optional<Advertisement> advertisement(Given word) {
    Optional<Given> style = one(Setting.HEADERS);
    if (style.isPresent()) {
      throw new ConfigurationException(
          "%s and %s cannot be combined: both choose the rate-limit headers; remove one"
              .formatted(style.get().origin(), word.origin()));
    }
    return Advertisement.ofWord(
        word.oneOf(Arrays.stream(Advertisement.values()).map(Advertisement::word).toList()));
  }

  private Duration hangTime(Given word) {
    if (one(Setting.HANG_RATE).isEmpty()) {
      throw new ConfigurationException(
          word.origin() + " needs hung requests; give --hang-rate too");
    }
    Duration time = word.duration();
    if (!time.isPositive()) {
      throw word.wrong("must be longer than nothing");
    }
    return time;
  }

  private record Limit(double perMinute, double burst) {}

  private record Window(Duration length, Duration phase) {

    static Window of(Given word) {
      List<Given> parts = word.split(":", 1, 2, "LENGTH or LENGTH:PHASE, for example 60s:20s");
      Duration length = parts.getFirst().duration();
      if (!length.isPositive()) {
        throw word.wrong("must be longer than nothing");
      }
      return new Window(length, parts.size() == 2 ? parts.getLast().duration() : Duration.ZERO);
    }
  }

  private record Span(Duration from, Duration until) {

    static Span of(Given word, String form) {
      List<Given> parts = word.split("+", 2, 2, form);
      Duration from = parts.getFirst().duration();
      Duration length = parts.getLast().duration();
      if (!length.isPositive()) {
        throw word.wrong("must be longer than nothing");
      }
      return new Span(from, from.plus(length));
    }
  }
}
