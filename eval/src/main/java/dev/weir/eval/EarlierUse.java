package dev.weir.eval;

import dev.weir.log.Cost;
import dev.weir.log.ModelCall;
import dev.weir.log.RunResult;
import dev.weir.log.RunResult.ModelUse;
import dev.weir.log.SampleResult;
import dev.weir.log.Tokens;
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
record EarlierUse(
    Tokens tokens,
    Cost cost,
    long cachedAnswers,
    long retries,
    Map<String, ModelUse> models,
    Map<String, Integer> limits) {

  static final EarlierUse NONE = new EarlierUse(Tokens.NONE, Cost.NONE, 0, 0, Map.of(), Map.of());

  EarlierUse {
    models = Collections.unmodifiableMap(new LinkedHashMap<>(models));
    limits = Map.copyOf(limits);
  }

  /** Limits are those of samples that are kept, which are counted when they are copied. */
  static EarlierUse of(RunResult result) {
    Map<String, ModelUse> models = new LinkedHashMap<>();
    result.models().forEach(use -> models.merge(key(use), use, EarlierUse::sum));
    return new EarlierUse(
        result.tokens(), result.cost(), result.cachedAnswers(), result.retries(), models, Map.of());
  }

  EarlierUse plus(Tokens moreTokens, Cost moreCost) {
    return with(tokens.plus(moreTokens), cost.plus(moreCost));
  }

  /** Without what samples have used that are kept, and so are counted anyway. */
  EarlierUse minus(Tokens counted, Cost countedCost) {
    var left =
        new Tokens(
            left(tokens.input(), counted.input()),
            left(tokens.output(), counted.output()),
            left(tokens.cacheRead(), counted.cacheRead()),
            left(tokens.cacheWrite(), counted.cacheWrite()),
            left(tokens.reasoning(), counted.reasoning()));
    BigDecimal known = cost.knownUsd().subtract(countedCost.knownUsd()).max(BigDecimal.ZERO);
    long unknown = left(cost.unknownCalls(), countedCost.unknownCalls());
    return with(
        left,
        new Cost(
            unknown == 0 ? Optional.of(known) : Optional.empty(),
            known,
            left(cost.pricedCalls(), countedCost.pricedCalls()),
            unknown));
  }

  /** Logs of other programs need not add up. */
  private static long left(long all, long counted) {
    return Math.max(0, all - counted);
  }

  private EarlierUse with(Tokens otherTokens, Cost otherCost) {
    return new EarlierUse(otherTokens, otherCost, cachedAnswers, retries, models, limits);
  }

  /** Models of a sample, and what its log does not tell elsewhere. */
  EarlierUse withModelsOf(SampleResult sample) {
    Map<String, ModelUse> more = new LinkedHashMap<>(models);
    for (ModelCall call : sample.calls()) {
      var use =
          new ModelUse(
              call.model(),
              call.role(),
              1,
              call.retries(),
              call.tokens(),
              call.cost(),
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

  EarlierUse withLimitOf(SampleResult sample) {
    if (sample.limit().isEmpty()) {
      return this;
    }
    Map<String, Integer> more = new LinkedHashMap<>(limits);
    more.merge(sample.limit().get().type(), 1, Integer::sum);
    return new EarlierUse(tokens, cost, cachedAnswers, retries, models, more);
  }

  /** The result of a run that went on, with all that was used for it. */
  RunResult addedTo(RunResult result) {
    Map<String, ModelUse> uses = new LinkedHashMap<>();
    result.models().forEach(use -> uses.put(key(use), use));
    models.forEach((key, use) -> uses.merge(key, use, EarlierUse::sum));
    Map<String, Integer> ended = new LinkedHashMap<>(result.limits());
    limits.forEach((type, count) -> ended.merge(type, count, Integer::sum));
    return new RunResult(
        result.start(),
        result.status(),
        result.error(),
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
        now.suggestedMaxConnections());
  }
}
