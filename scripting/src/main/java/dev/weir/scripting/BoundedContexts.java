package dev.weir.scripting;

import java.util.Objects;
import org.mozilla.javascript.Context;
import org.mozilla.javascript.ContextFactory;

/**
 * Contexts in which scripts see no Java, and are ended when they have taken too many steps or call
 * themselves too deeply.
 */
final class BoundedContexts extends ContextFactory {

  /** How often steps are counted. */
  private static final int STRIDE = 10_000;

  private static final int DEEPEST = 500;

  private final long mostSteps;

  /**
   * @param mostSteps instructions of the interpreter that one call may take
   */
  BoundedContexts(long mostSteps) {
    this.mostSteps = mostSteps;
  }

  /** No {@code catch} of a script stops it. */
  static final class TooManyStepsError extends Error {

    private static final long serialVersionUID = 1L;

    TooManyStepsError(long steps) {
      super("it took more than %d steps".formatted(steps));
    }
  }

  @Override
  protected Context makeContext() {
    var context = new Counting(this);
    context.setLanguageVersion(Context.VERSION_ECMASCRIPT);
    // Compiled scripts would be classes, and are counted less exactly.
    context.setInterpretedMode(true);
    context.setInstructionObserverThreshold(STRIDE);
    context.setMaximumInterpreterStackDepth(DEEPEST);
    context.setClassShutter(_ -> false);
    return context;
  }

  @Override
  protected void observeInstructionCount(Context context, int steps) {
    if (context instanceof Counting counting) {
      counting.steps += steps;
      if (counting.steps > mostSteps) {
        throw new TooManyStepsError(mostSteps);
      }
    }
  }

  @Override
  protected boolean hasFeature(Context context, int feature) {
    return switch (feature) {
      case Context.FEATURE_ENHANCED_JAVA_ACCESS, Context.FEATURE_E4X -> false;
      default -> super.hasFeature(Objects.requireNonNull(context), feature);
    };
  }

  /** Belongs to one call. */
  private static final class Counting extends Context {

    private long steps;

    Counting(ContextFactory factory) {
      super(factory);
    }
  }
}
