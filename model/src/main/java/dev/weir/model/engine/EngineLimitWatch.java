package dev.weir.model.engine;

import dev.weir.limits.EngineLimits;
import dev.weir.model.ConfigurationException;
import dev.weir.time.Task;
import dev.weir.time.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Follows the limits of engines while a process runs. What the files say is compared, not when they
 * were written: Kubernetes replaces a mounted secret by turning a link. Limits that cannot be read
 * change nothing. Thread-safe.
 */
public final class EngineLimitWatch implements AutoCloseable {

  private static final Duration INTERVAL = Duration.ofSeconds(2);

  private final Time time;
  private final EngineLimitSource source;
  private final Listener listener;
  private final Consumer<String> notices;
  // Guarded by this.
  private EngineLimits limits;
  private @Nullable EngineLimits seen;
  private @Nullable Task<?> looking;
  private @Nullable String problem;
  private Instant loadedAt;

  /**
   * What came of the last look.
   *
   * @param problem why it failed, if it did
   * @param loadedAt when limits were last read that hold
   */
  public record Status(Optional<String> problem, Instant loadedAt) {

    public boolean isHealthy() {
      return problem.isEmpty();
    }
  }

  /** What follows the limits; one call at a time. */
  public interface Listener {

    /** There are limits, which differ from those before. */
    void changed(EngineLimits limits);

    /** The files were looked at. */
    default void looked(Status status) {}
  }

  /**
   * Reads the limits, and gives them to the listener.
   *
   * @param notices is given what happens later, in sentences that repeat no limit
   * @throws dev.weir.model.ConfigurationException if they cannot be read
   */
  public EngineLimitWatch(
      Time time, EngineLimitSource source, Listener listener, Consumer<String> notices) {
    this.time = time;
    this.source = source;
    this.listener = listener;
    this.notices = notices;
    this.limits = source.read();
    this.loadedAt = time.instant();
    listener.changed(limits);
    listener.looked(status());
  }

  /** Looks now and then from now on, if there are files to look at. */
  public synchronized void begin() {
    if (looking == null && !source.files().isEmpty()) {
      looking =
          time.start(
              "engine limits",
              () -> {
                while (true) {
                  time.sleep(INTERVAL);
                  look(false);
                }
              });
    }
  }

  /** Looks now, and takes what is there. */
  public void reload() {
    look(true);
  }

  /**
   * @param atOnce whether limits hold that were seen for the first time: a file may be half written
   */
  private synchronized void look(boolean atOnce) {
    try {
      EngineLimits now = source.read();
      if (!now.equals(limits) && !atOnce && !now.equals(seen)) {
        seen = now;
        return;
      }
      boolean isRepaired = problem != null;
      problem = null;
      loadedAt = time.instant();
      if (!now.equals(limits)) {
        limits = now;
        listener.changed(now);
        notices.accept("the engine limits have changed; the new ones apply from now on");
      } else if (isRepaired) {
        notices.accept("the limits of engines can be read again; they are as before");
      }
    } catch (ConfigurationException malformed) {
      String why = String.valueOf(malformed.getMessage());
      if (!why.equals(problem)) {
        problem = why;
        notices.accept(why + "; the limits of engines stay as they were");
      }
    }
    listener.looked(status());
  }

  public synchronized Status status() {
    return new Status(Optional.ofNullable(problem), loadedAt);
  }

  @Override
  public synchronized void close() {
    if (looking != null) {
      looking.cancel();
    }
  }
}
