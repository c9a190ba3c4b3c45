package dev.weir.time.virtual;

import java.lang.StackWalker.Option;
import java.lang.StackWalker.StackFrame;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Checks that a task holds no monitor when it starts to wait.
 *
 * <p>Java has no public way to ask which monitors a virtual thread holds. The JDK's own stack
 * walker for live frames knows candidates (with empty places, and monitors that were left before),
 * and {@link Thread#holdsLock} tells which of them are held. The walker is reached by reflection,
 * which works only where {@code java.lang} is opened: the build's tests open it. Elsewhere nothing
 * is checked here.
 *
 * <p>Such a walk costs many times the wait itself, so it is done once for each stack: the compiler
 * decides which instructions are within a {@code synchronized}, so that a task that waits at the
 * same instruction, called by the same ones, holds as many monitors as the one before. Only to know
 * the stack again is dear enough: whoever has millions of waits may thin the checks out. After the
 * first ones only some are checked, by count and not by time, so that the same run is always
 * checked at the same waits.
 *
 * <p>Belongs to the holder of the baton.
 */
final class HeldMonitors {

  static final int ALWAYS_CHECKED = 50_000;
  static final int THEN_ONE_IN = 64;

  private static final @Nullable LiveFrames LIVE_FRAMES = LiveFrames.find();

  /** Stacks without monitors, of all runs. As many as the code has ways to a wait: thousands. */
  private static final Set<Long> FREE = ConcurrentHashMap.newKeySet();

  private final boolean thin;
  private final Stack stack = new Stack();
  private long waits;

  HeldMonitors(boolean thin) {
    this.thin = thin;
  }

  void check(VirtualTask<?> task, String waitingFor) {
    if (LIVE_FRAMES == null) {
      return;
    }
    waits++;
    if (thin && waits > ALWAYS_CHECKED && waits % THEN_ONE_IN != 0) {
      return;
    }
    long here = stack.fingerprint();
    if (FREE.contains(here)) {
      return;
    }
    Object held = LIVE_FRAMES.heldMonitor();
    if (held == null) {
      FREE.add(here);
    } else {
      throw new IllegalMonitorStateException(
          "task "
              + task.name()
              + " must not wait for "
              + waitingFor
              + " while it holds the monitor of a "
              + held.getClass().getName()
              + ": leave the synchronized block first");
    }
  }

  /**
   * Where a thread is: the classes of its frames, and the instruction in each. What is called at an
   * instruction is one method of a class, so that its name, which is dear, tells nothing more. That
   * holds with the hidden frames: those of lambdas tell which of them was called.
   */
  private static final class Stack implements Consumer<StackFrame> {

    private static final int USUAL_DEPTH = 32;
    private static final StackWalker WALKER =
        StackWalker.getInstance(
            Set.of(Option.RETAIN_CLASS_REFERENCE, Option.SHOW_HIDDEN_FRAMES), USUAL_DEPTH);

    private long hash;

    long fingerprint() {
      hash = 0;
      WALKER.forEach(this);
      return hash;
    }

    @Override
    public void accept(StackFrame frame) {
      mix(frame.getDeclaringClass().hashCode());
      mix(frame.getByteCodeIndex());
    }

    private void mix(int value) {
      // Of SplittableRandom: each bit of what is mixed reaches all others.
      hash = (hash ^ value) * 0xbf58476d1ce4e5b9L;
      hash = (hash ^ (hash >>> 27)) * 0x94d049bb133111ebL;
      hash ^= hash >>> 31;
    }
  }

  private record LiveFrames(StackWalker walker, Method monitors) {

    static @Nullable LiveFrames find() {
      try {
        Class<?> frame = Class.forName("java.lang.LiveStackFrame");
        Method walker = frame.getDeclaredMethod("getStackWalker");
        Method monitors = frame.getDeclaredMethod("getMonitors");
        if (!walker.trySetAccessible() || !monitors.trySetAccessible()) {
          return null;
        }
        return new LiveFrames((StackWalker) walker.invoke(null), monitors);
      } catch (ReflectiveOperationException absent) {
        // Another JDK may name it otherwise: then waits are not checked here.
        return null;
      }
    }

    @Nullable Object heldMonitor() {
      return walker.walk(
          frames ->
              frames
                  .map(this::monitorsOf)
                  .flatMap(Arrays::stream)
                  .filter(monitor -> monitor != null && Thread.holdsLock(monitor))
                  .findFirst()
                  .orElse(null));
    }

    private Object[] monitorsOf(StackWalker.StackFrame frame) {
      try {
        return (Object[]) monitors.invoke(frame);
      } catch (ReflectiveOperationException broken) {
        throw new IllegalStateException("cannot read the monitors of " + frame, broken);
      }
    }
  }
}
