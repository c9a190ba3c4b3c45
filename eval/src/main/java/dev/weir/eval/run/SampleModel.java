package dev.weir.eval.run;

import dev.weir.eval.sample.GenerationFailedException;
import dev.weir.eval.sample.Generator;
import dev.weir.eval.sample.SampleLimitExceededException;
import dev.weir.eval.sample.SampleState;
import dev.weir.limits.Call;
import dev.weir.limits.DeadlinePassedException;
import dev.weir.limits.Demand;
import dev.weir.limits.Demand.Standing;
import dev.weir.limits.StoppedException;
import dev.weir.limits.pace.Cost;
import dev.weir.model.GenerationSettings;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.price.Spend;
import dev.weir.time.Time;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** A model as a sample asks it: within its limits, counted and recorded. Thread-safe. */
final class SampleModel implements Generator {

  private final Asker of;
  private final Time time;
  private final GenerationSettings settings;
  private final PricedModel model;
  private final boolean isEvaluated;
  private final boolean isAdmitted;
  private final String role;

  /**
   * The sample that asks.
   *
   * @param begun when it began
   * @param hasAsked whether it has asked any model yet
   * @param askedEpoch the epoch that calls are made in, from 0; others while a scorer is retried
   * @param cutShort why a call of it was not let go, because all is being ended, if so
   * @param notes takes what its record should say of a call
   */
  record Asker(
      Run run,
      RunPlan plan,
      Ticket ticket,
      SampleState state,
      SampleMeter meter,
      SampleHistory history,
      long begun,
      AtomicBoolean hasAsked,
      AtomicReference<@Nullable RuntimeException> cutShort,
      BooleanSupplier isScoring,
      IntSupplier askedEpoch,
      Consumer<String> notes) {}

  /**
   * @param isEvaluated whether it is asked as the model to evaluate
   * @param isAdmitted whether its calls tell how busy the evaluated model is
   */
  SampleModel(
      Asker of,
      GenerationSettings settings,
      PricedModel model,
      String role,
      boolean isEvaluated,
      boolean isAdmitted) {
    this.of = of;
    this.time = of.plan().time();
    this.settings = settings;
    this.model = model;
    this.role = role;
    this.isEvaluated = isEvaluated;
    this.isAdmitted = isAdmitted;
  }

  @Override
  public Response.Reply generate(Request asked) throws InterruptedException {
    try {
      return ask(asked);
    } catch (StoppedRunException | StoppedException | CancellationException notLetGo) {
      // Whoever asks may catch it and go on without an answer, as if the model had given none.
      of.cutShort().set(notLetGo);
      throw notLetGo;
    }
  }

  private Response.Reply ask(Request asked) throws InterruptedException {
    if (isEvaluated) {
      of.meter().requireTurn(of.state(), asked.messages().size());
    } else {
      check();
    }
    if (!of.isScoring().getAsBoolean()) {
      of.run().requireCalls();
    }
    Request request =
        asked.with(asked.settings().orElse(settings)).withEpoch(of.askedEpoch().getAsInt());
    if (request.target().isEmpty()) {
      request = request.withTarget(of.state().sample().target());
    }
    Demand demand =
        Demand.of(of.plan().id(), Cost.ONE_REQUEST)
            .with(of.hasAsked().get() ? Standing.IN_PROGRESS : Standing.NEW)
            .with(new Demand.Kind(role, false));
    var asks =
        new SampleHistory.Begun(
            time.instant(),
            of.meter().working(),
            model,
            role,
            request,
            of.run().terms().request(request));
    long begin = time.nanos();
    of.meter().callBegins();
    if (of.hasAsked().compareAndSet(false, true)) {
      of.run().begins(begin - of.begun());
    }
    if (isAdmitted) {
      of.run().asks();
    }
    try {
      of.run().awaitRelease();
      Call<Response> first = model.model().generate(request, demand);
      Call<Response> call = first.isPoisoned() ? onceMore(first, request, demand) : first;
      call.abandoned().forEach(this::noteAbandoned);
      Spend cost = model.counted(call);
      of.history().called(asks, call, cost, since(begin));
      return answered(begin, call, cost);
    } catch (InterruptedException takenBack) {
      of.meter().callCutOff(begin, takenBack);
      model.cutOff(takenBack);
      of.history().cutOff(asks, takenBack, "cut off: " + whyCutOff(), since(begin));
      throw takenBack;
    } catch (StoppedException | DeadlinePassedException notAsked) {
      of.meter().callCutOff(begin, notAsked);
      model.cutOff(notAsked);
      of.history().cutOff(asks, notAsked, String.valueOf(notAsked.getMessage()), since(begin));
      throw notAsked;
    } finally {
      of.meter().callOver();
      if (isAdmitted) {
        of.run().asked();
      }
    }
  }

  /** One more attempt at a request that keeps failing, after all others have finished. */
  private Call<Response> onceMore(Call<Response> failed, Request request, Demand demand)
      throws InterruptedException {
    of.notes()
        .accept(
            "a request to %s is put aside until all other samples have finished: %s"
                .formatted(model.model().name(), failed.gaveUp().orElse("")));
    long begin = time.nanos();
    if (isAdmitted) {
      of.run().asked();
    }
    try {
      if (!of.run().park(of.ticket())) {
        return failed;
      }
    } finally {
      if (isAdmitted) {
        of.run().asks();
      }
    }
    Duration waited = since(begin);
    return failed.then(model.model().generate(request, demand.asLastChance()), waited);
  }

  private void noteAbandoned(Duration after) {
    of.notes()
        .accept(
            "an attempt at %s was abandoned after %d s without an answer; it may have been billed"
                .formatted(model.model().name(), Math.round(after.toNanos() / 1e9)));
  }

  private Duration since(long begin) {
    return Duration.ofNanos(time.nanos() - begin);
  }

  private String whyCutOff() {
    if (of.ticket().cancelled) {
      return "the run was cancelled";
    }
    if (of.ticket().earlyEnd().isPresent()) {
      return "the sample was ended early";
    }
    try {
      of.meter().requireWithin(of.state());
      return "whoever asked does not want the answer any more";
    } catch (SampleLimitExceededException over) {
      return String.valueOf(over.getMessage());
    }
  }

  private Response.Reply answered(long begin, Call<Response> call, Spend cost) {
    switch (call.value()) {
      case Response.Reply reply -> {
        of.meter().callEnded(begin, call, cost, isEvaluated);
        return reply;
      }
      case Response.Failure refused -> {
        of.meter().callEnded(begin, call, cost, isEvaluated);
        throw new GenerationFailedException(
            model.model().name().toString(), refused, call.gaveUp(), call.isPoisoned());
      }
    }
  }

  @Override
  public void check() {
    of.meter().requireWithin(of.state());
  }
}
