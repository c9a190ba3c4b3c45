package dev.weir.eval.sample;

import dev.weir.eval.sandbox.Sandbox;
import dev.weir.model.Message;
import dev.weir.model.ToolCall;
import dev.weir.time.Time;
import dev.weir.time.Work;
import java.util.Locale;
import java.util.random.RandomGenerator;

/**
 * What a solver, a tool or a scorer may use besides the state. Belongs to one sample; what it gives
 * is thread-safe.
 */
public interface SampleContext {

  /** The evaluated model. */
  Generator model();

  /** The model of a role, such as {@code grader}; the evaluated one if it has none of its own. */
  Generator role(String role);

  /**
   * Where the tools of this sample run; opened and set up when it is first asked for.
   *
   * @throws dev.weir.model.ConfigurationException if the task has none
   */
  Sandbox sandbox() throws InterruptedException;

  /** The clock. Never sleep elsewhere: a rehearsal runs on virtual time. */
  Time time();

  /** Chance that depends on the run's seed, the sample and the epoch alone. */
  RandomGenerator random();

  /**
   * Does a part of the work within limits of its own, beside those of the sample.
   *
   * @throws SampleLimitExceededException if the part uses more; catch it to go on without
   */
  <T> T within(SampleLimits limits, Work<T> part) throws Exception;

  /** What the sample has used until now; what a part of it used is the difference of two. */
  default Used used() {
    return Used.NOTHING;
  }

  /**
   * What the first scorer of the task makes of an answer before the end, from 0 to 1, so that a
   * solver may try again. The sample itself is scored when it is solved.
   *
   * @throws Exception what the scorer throws
   */
  default double judge(SampleState attempt) throws Exception {
    throw new UnsupportedOperationException("there is no scorer to judge attempts with");
  }

  /** Whether the task has a sandbox. */
  default boolean hasSandbox() {
    return false;
  }

  /**
   * Whether this is a rehearsal: models are simulated, and nothing else may be done in earnest.
   * Tools are not run then, but take a while.
   */
  default boolean isRehearsal() {
    return false;
  }

  /**
   * A tool was run, for the sample's record.
   *
   * @param told what the model will read of it
   * @param began when, by {@link #time}
   */
  default void toolRan(ToolCall call, Message.ToolResult told, long began) {}

  /** Adds something to the sample's record that the log keeps as an {@code info} event. */
  void note(String source, Object data);

  /**
   * Something that is opened when it is first asked for, and closed when the sample, or the run,
   * has ended: a server, a history of edits.
   *
   * @param key whose it is; the same key gives the same thing, and must always ask for one type
   * @throws UnsupportedOperationException if the sample is not part of a run
   */
  default <T extends AutoCloseable> T keep(Lifetime lifetime, Object key, Kept.Opening<T> opening)
      throws InterruptedException {
    throw new UnsupportedOperationException(
        "cannot keep anything until the end of the %s: there is no run"
            .formatted(lifetime.name().toLowerCase(Locale.ROOT)));
  }

  /** How long something is kept. */
  enum Lifetime {
    /** Until the sample ends; another repetition of it has its own. */
    SAMPLE,
    /** Until the run ends, for all its samples. */
    RUN
  }
}
