package dev.weir.eval.run;

import dev.weir.eval.sample.GenerationFailedException;
import dev.weir.eval.sample.Generator;
import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sample.SampleLimits;
import dev.weir.eval.sample.SampleState;
import dev.weir.eval.sandbox.Sandbox;
import dev.weir.limits.Call;
import dev.weir.limits.DeadlinePassedException;
import dev.weir.limits.Demand;
import dev.weir.limits.pace.Cost;
import dev.weir.log.SampleResult.Note;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Message;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.price.Spend;
import dev.weir.time.Time;
import dev.weir.time.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/** What scorers may use for a sample whose run has ended: the models that grade it. */
final class ScoringContext implements SampleContext {

  private static final int MOST_NOTES = 1_000;

  private final Rescorer rescorer;
  private final SampleState state;
  private final Time time;
  private final SampleMeter meter;
  private final SampleHistory history = new SampleHistory();
  private final List<Message> conversation;
  private final RandomGenerator random;
  // Written between the calls of scorers.
  private volatile int repetition;
  private volatile int attempt;
  // Set when the first answer is there; scorers may ask from several tasks.
  private volatile boolean isGraded;
  // Guarded by this.
  private final List<Note> notes = new ArrayList<>();

  ScoringContext(Rescorer rescorer, SampleState state, Time time, long seed) {
    this.rescorer = rescorer;
    this.state = state;
    this.time = time;
    this.meter = new SampleMeter(time);
    this.conversation = List.copyOf(state.messages());
    this.random =
        new SplittableRandom(seed ^ (state.sample().id().hashCode() * 31L + state.epoch()));
  }

  @Override
  public Generator model() {
    throw new ConfigurationException(
        "the scorer asks the evaluated model, but only models with a role are there when a log is"
            + " scored again");
  }

  /** What follows is this attempt at this repetition: graders are asked anew, also with a cache. */
  void repeats(int index, int newAttempt) {
    repetition = index;
    attempt = newAttempt;
  }

  @Override
  public Generator role(String role) {
    // Whether there is one is known at once.
    var _ = rescorer.role(role, false);
    return new Generator() {
      @Override
      public Response.Reply generate(Request asked) throws InterruptedException {
        return answer(
            role,
            rescorer.role(role, isGraded),
            asked.withEpoch(ScorerRetries.epoch(state.epoch() - 1, repetition, attempt)));
      }

      @Override
      public void check() {
        meter.requireWithin(state);
      }
    };
  }

  private Response.Reply answer(String role, PricedModel model, Request asked)
      throws InterruptedException {
    meter.requireWithin(state);
    Request request = asked.target().isEmpty() ? asked.withTarget(state.sample().target()) : asked;
    var asks =
        new SampleHistory.Begun(
            time.instant(),
            meter.working(),
            model,
            role,
            request,
            rescorer.terms().request(request));
    long begin = time.nanos();
    meter.callBegins();
    rescorer.asks();
    try {
      Call<Response> call =
          model
              .model()
              .generate(
                  request,
                  Demand.of(rescorer.task(), Cost.ONE_REQUEST).with(new Demand.Kind(role, false)));
      Spend cost = model.counted(call);
      history.called(asks, call, cost, Duration.ofNanos(time.nanos() - begin));
      switch (call.value()) {
        case Response.Reply reply -> {
          meter.callEnded(begin, call, cost, false);
          isGraded = true;
          return reply;
        }
        case Response.Failure refused -> {
          meter.callEnded(begin, call, Spend.NONE, false);
          throw new GenerationFailedException(
              model.model().name().toString(), refused, call.gaveUp());
        }
      }
    } catch (DeadlinePassedException late) {
      meter.callCutOff(begin, late);
      model.cutOff(late);
      history.cutOff(
          asks, late, String.valueOf(late.getMessage()), Duration.ofNanos(time.nanos() - begin));
      throw late;
    } finally {
      meter.callOver();
    }
  }

  @Override
  public Sandbox sandbox() {
    throw new ConfigurationException(
        "the scorer needs the sandbox of the sample, which is gone when a log is scored again");
  }

  @Override
  public Time time() {
    return time;
  }

  @Override
  public RandomGenerator random() {
    return random;
  }

  @Override
  public <T> T within(SampleLimits limits, Work<T> part) throws Exception {
    LimitScope scope = meter.open(limits);
    try {
      return scope.isTimed()
          ? new TimedPart<>(time, meter, scope, "sample " + state.sample().id(), part).run()
          : part.run();
    } finally {
      meter.close(scope);
    }
  }

  @Override
  public synchronized void note(String source, Object data) {
    if (notes.size() < MOST_NOTES) {
      notes.add(new Note(time.instant(), meter.working(), source, data));
    }
  }

  synchronized List<Note> notes() {
    return List.copyOf(notes);
  }

  /**
   * What graders were asked.
   *
   * @param othersBefore how many messages the sample has beside its conversation
   */
  SampleHistory.Told told(int othersBefore) {
    return history.told(conversation, othersBefore);
  }

  SampleMeter meter() {
    return meter;
  }
}
