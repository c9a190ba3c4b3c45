package dev.weir.eval.run;

import dev.weir.time.Completion;
import dev.weir.time.Time;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a run does not do for now, because of an operator or of its log. Thread-safe. */
final class Holding {

  private final Time time;

  // Guarded by this.
  private Pause pause = Pause.NONE;
  // The log cannot be written: nobody pays for results that might be lost.
  private boolean isHeld;
  // While calls are held, what those that would make one wait for. Read by each call.
  private volatile @Nullable Completion<Boolean> release;

  Holding(Time time) {
    this.time = time;
  }

  void pause(Pause wanted) {
    Completion<Boolean> released = null;
    synchronized (this) {
      pause = wanted;
      if (wanted == Pause.CALLS && release == null) {
        release = new Completion<>(time, "the end of a pause");
      } else if (wanted != Pause.CALLS) {
        released = release;
        release = null;
      }
    }
    if (released != null) {
      released.complete(true);
    }
  }

  synchronized Pause pause() {
    return pause;
  }

  synchronized void hold(boolean wanted) {
    isHeld = wanted;
  }

  /** Whether samples may be opened. */
  synchronized boolean isOff() {
    return pause == Pause.NONE && !isHeld;
  }

  /** In words. */
  synchronized Optional<String> told() {
    if (isHeld) {
      return Optional.of("the log cannot be written");
    }
    return switch (pause) {
      case NONE -> Optional.empty();
      case SAMPLES -> Optional.of("no new samples start");
      case CALLS -> Optional.of("calls are held");
    };
  }

  /** Waits as long as calls are held. */
  void awaitRelease() throws InterruptedException {
    for (Completion<Boolean> held = release; held != null; held = release) {
      held.await();
    }
  }
}
