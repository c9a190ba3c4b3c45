package dev.weir.scripting;

import java.util.Objects;
import org.mozilla.javascript.Context;
import org.mozilla.javascript.ContextFactory;

/**
 * Contexts in which scripts see no Java, and are ended when they have taken too many steps or too
 * much memory, call themselves too deeply, or were given up ({@link Workers}). To be entered on a
 * thread of {@link Workers}, whose memory can be measured.
 */
final class BoundedContexts extends ContextFactory {

  /**
   * How often steps are counted: between two looks a script makes at most some tens of the largest
   * texts that one operation may make.
   */
  private static final int STRIDE = 200;

  private static final int DEEPEST = 500;

  private final long mostSteps;
  private final long mostBytes;

  /**
   * @param mostSteps instructions of the interpreter that one call may take
   * @param mostBytes memory that one call may ask for, given back or not
   */
  BoundedContexts(long mostSteps, long mostBytes) {
    this.mostSteps = mostSteps;
    this.mostBytes = mostBytes;
  }

  /** No {@code catch} of a script stops it. */
  static final class OverBoundsError extends Error {

    private static final long serialVersionUID = 1L;

    OverBoundsError(String message) {
      super(message);
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
      if (Thread.currentThread().isInterrupted()) {
        throw new OverBoundsError("it took too long");
      }
      if (counting.steps > mostSteps) {
        throw new OverBoundsError("it took more than %d steps".formatted(mostSteps));
      }
      checkMemory(counting);
    }
  }

  /**
   * Ends a script that has asked for too much memory; for operations of the library that count no
   * steps.
   */
  void checkMemory(Context context) {
    if (context instanceof Counting counting
        && Workers.allocatedBytes() - counting.bytesBefore > mostBytes) {
      throw new OverBoundsError("it took more than %d MB of memory".formatted(mostBytes >> 20));
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

    private final long bytesBefore = Workers.allocatedBytes();
    private long steps;

    Counting(ContextFactory factory) {
      super(factory);
    }
  }
}
