package dev.weir.log;

import dev.weir.log.RunResult.ModelUse;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What earlier runs of a task have used, which the result of one that goes on with them tells, too:
 * it was paid for. Immutable.
 *
 * @param models by role and name
 * @param limits how many samples each type of limit ended
 */
public record EarlierUse(
    Tokens tokens,
    Cost cost,
    long cachedAnswers,
    long retries,
    Map<String, ModelUse> models,
    Map<String, Integer> limits) {

  public static final EarlierUse NONE =
      new EarlierUse(Tokens.NONE, Cost.NONE, 0, 0, Map.of(), Map.of());

  public EarlierUse {
    models = Collections.unmodifiableMap(new LinkedHashMap<>(models));
    limits = Map.copyOf(limits);
  }

  /** Limits are those of samples that are kept, which are counted when they are copied. */
  public static EarlierUse of(RunResult result) {
    Map<String, ModelUse> models = new LinkedHashMap<>();
    result.models().forEach(use -> models.merge(key(use), use, EarlierUse::sum));
    return new EarlierUse(
        result.tokens(), result.cost(), result.cachedAnswers(), result.retries(), models, Map.of());
  }

  /** Only tokens and cost. */
  public EarlierUse sums() {
    return NONE.with(tokens, cost);
  }

  /** All but tokens and cost. */
  public EarlierUse withoutSums() {
    return with(Tokens.NONE, Cost.NONE);
  }

  /** Both together. */
  public EarlierUse plus(EarlierUse other) {
    Map<String, ModelUse> all = new LinkedHashMap<>(models);
    other.models.forEach((key, use) -> all.merge(key, use, EarlierUse::sum));
    Map<String, Integer> ended = new LinkedHashMap<>(limits);
    other.limits.forEach((type, count) -> ended.merge(type, count, Integer::sum));
    return new EarlierUse(
        tokens.plus(other.tokens),
        cost.plus(other.cost),
        cachedAnswers + other.cachedAnswers,
        retries + other.retries,
        all,
        ended);
  }

  /** And this. */
  public EarlierUse plus(Tokens moreTokens, Cost moreCost) {
    return with(tokens.plus(moreTokens), cost.plus(moreCost));
  }

  /** Without what samples have used that are kept, and so are counted anyway. */
  public EarlierUse minus(Tokens counted, Cost countedCost) {
    return with(left(tokens, counted), left(cost, countedCost));
  }

  private static Tokens left(Tokens all, Tokens counted) {
    return new Tokens(
        left(all.input(), counted.input()),
        left(all.output(), counted.output()),
        left(all.cacheRead(), counted.cacheRead()),
        left(all.cacheWrite(), counted.cacheWrite()),
        left(all.reasoning(), counted.reasoning()));
  }

  private static Cost left(Cost all, Cost counted) {
    BigDecimal known = all.knownUsd().subtract(counted.knownUsd()).max(BigDecimal.ZERO);
    long unknown = left(all.unknownCalls(), counted.unknownCalls());
    return new Cost(
        unknown == 0 ? Optional.of(known) : Optional.empty(),
        known,
        left(all.pricedCalls(), counted.pricedCalls()),
        unknown);
  }

  /** Logs of other programs need not add up. */
  private static long left(long all, long counted) {
    return Math.max(0, all - counted);
  }

  private EarlierUse with(Tokens otherTokens, Cost otherCost) {
    return new EarlierUse(otherTokens, otherCost, cachedAnswers, retries, models, limits);
  }

  /** Tokens and cost as what a model did, which was evaluated. */
  public EarlierUse ofModel(String model) {
    var use =
        new ModelUse(
            model,
            ModelCall.EVALUATED,
            cost.pricedCalls() + cost.unknownCalls(),
            0,
            tokens,
            cost,
            Optional.empty(),
            Optional.empty());
    return new EarlierUse(Tokens.NONE, Cost.NONE, 0, 0, Map.of(key(use), use), Map.of());
  }

  /** Models of a sample, and what its log does not tell elsewhere. */
  public EarlierUse withModelsOf(SampleResult sample) {
    Map<String, ModelUse> more = new LinkedHashMap<>(models);
    for (ModelCall call : sample.calls()) {
      var use =
          new ModelUse(
              call.model(),
              call.role(),
              call.error().isEmpty() ? 1 : 0,
              call.retries(),
              call.tokens(),
              call.cost(),
              Optional.empty(),
              Optional.empty());
      more.merge(key(use), use, EarlierUse::sum);
    }
    return new EarlierUse(
        tokens,
        cost,
        cachedAnswers + sample.cachedAnswers(),
        retries + sample.retries(),
        more,
        limits);
  }

  /**
   * The same without models, answers from caches and retries of samples that tell them anyway.
   *
   * @param counted what {@link #withModelsOf} makes of those
   */
  public EarlierUse withoutModelsOf(EarlierUse counted) {
    Map<String, ModelUse> rest = new LinkedHashMap<>();
    models.forEach(
        (key, use) -> {
          ModelUse known = counted.models.get(key);
          ModelUse left = known == null ? use : difference(use, known);
          if (known == null || left.calls() > 0 || left.retries() > 0) {
            rest.put(key, left);
          }
        });
    return new EarlierUse(
        tokens,
        cost,
        left(cachedAnswers, counted.cachedAnswers),
        left(retries, counted.retries),
        rest,
        limits);
  }

  /** Samples whose limit is counted with them. */
  public EarlierUse withLimitOf(SampleResult sample) {
    if (sample.limit().isEmpty()) {
      return this;
    }
    Map<String, Integer> more = new LinkedHashMap<>(limits);
    more.merge(sample.limit().get().type(), 1, Integer::sum);
    return new EarlierUse(tokens, cost, cachedAnswers, retries, models, more);
  }

  /** The result of a run that went on, with all that was used for it. */
  public RunResult addedTo(RunResult result) {
    Map<String, ModelUse> uses = new LinkedHashMap<>();
    result.models().forEach(use -> uses.put(key(use), use));
    models.forEach((key, use) -> uses.merge(key, use, EarlierUse::sum));
    Map<String, Integer> ended = new LinkedHashMap<>(result.limits());
    limits.forEach((type, count) -> ended.merge(type, count, Integer::sum));
    return new RunResult(
        result.start(),
        result.status(),
        result.error(),
        result.traceback(),
        result.stopped(),
        result.ended(),
        result.seconds(),
        result.metrics(),
        result.scores(),
        result.accuracyOverAll(),
        result.samples(),
        result.tokens().plus(tokens),
        result.cost().plus(cost),
        result.cachedAnswers() + cachedAnswers,
        result.retries() + retries,
        result.times(),
        List.copyOf(new ArrayList<>(uses.values())),
        ended,
        result.failures(),
        result.retriedSamples());
  }

  private static String key(ModelUse use) {
    return use.role() + " " + use.model();
  }

  private static ModelUse sum(ModelUse now, ModelUse before) {
    return new ModelUse(
        now.model(),
        now.role(),
        now.calls() + before.calls(),
        now.retries() + before.retries(),
        now.tokens().plus(before.tokens()),
        now.cost().plus(before.cost()),
        now.suggestedMaxConnections(),
        now.limitedBy());
  }

  private static ModelUse difference(ModelUse all, ModelUse counted) {
    return new ModelUse(
        all.model(),
        all.role(),
        left(all.calls(), counted.calls()),
        left(all.retries(), counted.retries()),
        left(all.tokens(), counted.tokens()),
        left(all.cost(), counted.cost()),
        all.suggestedMaxConnections(),
        all.limitedBy());
  }
}
