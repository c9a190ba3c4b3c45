package dev.weir.eval.sample;

import java.util.Objects;

/**
 * A sample has used up what it may. It ends early, and is scored as it is then; that is no error.
 *
 * <p>The runner throws it for the limits of the task. A solver may throw one of its own: {@code new
 * SampleLimitExceededException("custom", 12, 10, "too many moves")}.
 */
public final class SampleLimitExceededException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final String type;
  private final double value;
  private final double limit;

  /**
   * @param type {@code time}, {@code working}, {@code message}, {@code token}, {@code turn}, {@code
   *     cost} or {@code custom}
   * @param value what was used
   * @param limit what may be
   */
  public SampleLimitExceededException(String type, double value, double limit, String message) {
    super(message);
    this.type = Objects.requireNonNull(type, "the type of a limit is null");
    this.value = value;
    this.limit = limit;
  }

  public String type() {
    return type;
  }

  public double value() {
    return value;
  }

  public double limit() {
    return limit;
  }
}
