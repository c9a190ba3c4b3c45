package dev.weir.eval.run;

import dev.weir.limits.Call;
import dev.weir.limits.CutOff;
import dev.weir.limits.Mode;
import dev.weir.log.RunResult.ModelUse;
import dev.weir.log.Tokens;
import dev.weir.model.Model;
import dev.weir.model.Response;
import dev.weir.model.price.Spend;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/** What a model did for one run, in one role. Thread-safe. */
public final class ModelCount {

  private final Optional<ModelMeter> meter;
  private @Nullable MeasuredLimit measured;
  // Guarded by this.
  private long calls;
  private long made;
  private long retries;
  private double calledSeconds;
  private Tokens tokens = Tokens.NONE;
  private Spend spend = Spend.NONE;

  /**
   * @param meter is told what answers cost; absent if nobody watches the model
   */
  public ModelCount(Optional<ModelMeter> meter) {
    this.meter = meter;
  }

  synchronized void add(Call<Response> call, Spend cost) {
    retries += call.attempts() - 1;
    if (call.value() instanceof Response.Reply reply) {
      calls++;
      if (!reply.origin().fromCache()) {
        made++;
        calledSeconds += call.times().called().toNanos() / 1e9;
      }
      tokens = tokens.plus(Records.tokens(reply.usage()));
      spend = spend.plus(cost);
      meter.ifPresent(told -> told.cost(cost));
    }
  }

  synchronized void cutOff(CutOff call) {
    retries += Math.max(0, call.attempts() - 1);
  }

  /** The run begins. */
  synchronized void begin(Model model) {
    measured = new MeasuredLimit(model.lane());
  }

  /** Without what limited it. */
  ModelUse use(Model model, String role) {
    return use(model, role, Duration.ZERO, Duration.ZERO);
  }

  /**
   * @param ofRun how long the run took
   * @param full for how long as many samples were open as may be; zero for models in other roles
   */
  synchronized ModelUse use(Model model, String role, Duration ofRun, Duration full) {
    return new ModelUse(
        model.name().toString(),
        role,
        calls,
        retries,
        tokens,
        Records.cost(spend),
        suggestedMaxConnections(model.lane().mode()),
        calls == 0 || measured == null ? Optional.empty() : measured.limitedBy(ofRun, full, meter));
  }

  /** Little's law: so many calls are in flight when as many are made as the provider allows. */
  private Optional<Integer> suggestedMaxConnections(Mode mode) {
    OptionalDouble quota = meter.map(ModelMeter::requestQuota).orElse(OptionalDouble.empty());
    if (mode instanceof Mode.Pace || quota.isEmpty() || made == 0) {
      return Optional.empty();
    }
    double enough = Math.ceil(quota.getAsDouble() / 60 * calledSeconds / made);
    return Optional.of((int) Math.clamp(enough, 1, Integer.MAX_VALUE));
  }
}
