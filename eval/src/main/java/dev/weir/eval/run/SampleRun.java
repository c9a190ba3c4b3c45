package dev.weir.eval.run;

import dev.weir.eval.dataset.Sample;
import dev.weir.eval.scorer.NoScoreException;
import dev.weir.eval.solver.Conversation;
import dev.weir.eval.solver.GenerationFailedException;
import dev.weir.eval.solver.Solver;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.limits.Call;
import dev.weir.limits.DeadlinePassedException;
import dev.weir.limits.Demand;
import dev.weir.limits.Demand.Standing;
import dev.weir.limits.StoppedException;
import dev.weir.limits.pace.Cost;
import dev.weir.log.RunResult;
import dev.weir.model.GenerationSettings;
import dev.weir.model.Message;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.Usage;
import dev.weir.model.price.Spend;
import dev.weir.time.Time;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One sample: prepare, solve, score, record. What it used adds up here. Not thread-safe: belongs to
 * the task that runs the sample.
 */
final class SampleRun {

  private final TaskDefinition task;
  private final PricedModel evaluated;
  private final Map<String, PricedModel> roles;
  private final Time time;
  private final Sample sample;
  private final long begun;
  private Conversation conversation;
  private Usage usage = Usage.NONE;
  private Spend spend = Spend.NONE;
  private long cachedAnswers;
  private boolean hasAsked;
  private int retries;
  private Duration queued = Duration.ZERO;
  private Duration paced = Duration.ZERO;
  private Duration backedOff = Duration.ZERO;
  private Duration failedAttempts = Duration.ZERO;
  private Duration called = Duration.ZERO;
  private Response.@Nullable Failure failure;

  SampleRun(
      TaskDefinition task,
      PricedModel evaluated,
      Map<String, PricedModel> roles,
      Time time,
      Sample sample) {
    this.roles = roles;
    this.task = task;
    this.evaluated = evaluated;
    this.time = time;
    this.sample = sample;
    this.begun = time.nanos();
    this.conversation = Conversation.begin(sample);
  }

  /**
   * @throws InterruptedException if the run is cancelled; the sample then counts as unfinished
   * @throws StoppedException if the provider has refused others for good; likewise
   */
  RunResult.SampleResult run() throws InterruptedException {
    try {
      for (Solver solver : task.solvers()) {
        conversation =
            solver.solve(
                conversation, asked -> generate(evaluated, task.options().generation(), asked));
      }
      double score = task.scorer().score(conversation, this::role);
      return record(Optional.of(score), Optional.empty());
    } catch (GenerationFailedException failed) {
      failure = failed.failure();
      return record(Optional.empty(), Optional.of(String.valueOf(failed.getMessage())));
    } catch (StoppedException stopped) {
      // Refused for good before it could ask: the run ends, and this sample was not finished.
      throw stopped;
    } catch (NoScoreException ungraded) {
      return record(Optional.empty(), Optional.of(String.valueOf(ungraded.getMessage())));
    } catch (DeadlinePassedException late) {
      return record(Optional.empty(), Optional.of(String.valueOf(late.getMessage())));
    } catch (RuntimeException | Error broken) {
      // A defect of a solver or scorer, even an overflowing stack, is a result and must be seen.
      return record(Optional.empty(), Optional.of(broken.toString()));
    }
  }

  /** The record of a sample whose solver gave up by itself. */
  RunResult.SampleResult interrupted() {
    return record(Optional.empty(), Optional.of("the solver was interrupted, but not by the run"));
  }

  /** What the provider refused with, if that is why the sample failed. */
  Optional<Response.Failure> failure() {
    return Optional.ofNullable(failure);
  }

  private Solver.Generator role(String role) {
    PricedModel playing = roles.getOrDefault(role, evaluated);
    return asked -> generate(playing, GenerationSettings.NONE, asked);
  }

  /**
   * @param settings of the evaluated model; those that play other parts are asked as they are
   */
  private Message.Assistant generate(
      PricedModel asking, GenerationSettings settings, Conversation asked)
      throws InterruptedException {
    Call<Response> call =
        asking
            .model()
            .generate(
                Request.of(asked.messages()).with(settings).withTarget(asked.sample().target()),
                Demand.of(task.name(), Cost.ONE_REQUEST)
                    .with(hasAsked ? Standing.IN_PROGRESS : Standing.NEW));
    hasAsked = true;
    retries += call.attempts() - 1;
    queued = queued.plus(call.times().queued());
    paced = paced.plus(call.times().paced());
    backedOff = backedOff.plus(call.times().backedOff());
    failedAttempts = failedAttempts.plus(call.times().failed());
    return switch (call.value()) {
      case Response.Reply reply -> {
        usage = usage.plus(reply.usage());
        spend = spend.plus(asking.spend(reply));
        cachedAnswers += reply.origin().fromCache() ? 1 : 0;
        called = called.plus(call.times().called());
        yield reply.message();
      }
      case Response.Failure refused -> {
        failedAttempts = failedAttempts.plus(call.times().called());
        throw new GenerationFailedException(
            asking.model().name().toString(), refused, call.gaveUp());
      }
    };
  }

  private RunResult.SampleResult record(Optional<Double> score, Optional<String> error) {
    return new RunResult.SampleResult(
        sample.id(),
        sample.input(),
        sample.target(),
        conversation.output(),
        score,
        error,
        retries,
        new RunResult.Tokens(
            usage.inputTokens(),
            usage.outputTokens(),
            usage.cacheReadTokens(),
            usage.cacheWriteTokens(),
            usage.reasoningTokens()),
        cost(spend),
        cachedAnswers,
        new RunResult.Times(
            seconds(queued),
            seconds(paced),
            seconds(backedOff),
            seconds(failedAttempts),
            seconds(called),
            seconds(Duration.ofNanos(time.nanos() - begun))));
  }

  /** What it cost so far. */
  Spend spend() {
    return spend;
  }

  static RunResult.Cost cost(Spend spend) {
    return new RunResult.Cost(
        spend.total(), spend.known(), spend.pricedCalls(), spend.unknownCalls());
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }
}
