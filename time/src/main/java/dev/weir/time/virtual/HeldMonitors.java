package dev.weir.time.virtual;

import java.lang.reflect.Method;
import java.util.Arrays;
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
 * <p>A walk costs about 10 µs, many times the wait itself. Whoever has millions of waits may thin
 * the checks out: after the first ones only some are checked, by count and not by time, so that the
 * same run is always checked at the same waits.
 *
 * <p>Belongs to the holder of the baton.
 */
final class HeldMonitors {

  static final int ALWAYS_CHECKED = 50_000;
  static final int THEN_ONE_IN = 64;

  private static final @Nullable LiveFrames LIVE_FRAMES = LiveFrames.find();

  private final boolean thin;
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
    Object held = LIVE_FRAMES.heldMonitor();
    if (held != null) {
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
