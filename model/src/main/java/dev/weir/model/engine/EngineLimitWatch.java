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
  private boolean isLooking;
  private boolean isReloadWanted;
  private boolean isClosed;
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
   * One look at a time, outside the lock: a file on a file system that hangs holds up nothing else.
   *
   * @param atOnce whether limits hold that were seen for the first time: a file may be half written
   */
  private void look(boolean atOnce) {
    if (!beginLook(atOnce)) {
      return;
    }
    boolean isWanted = atOnce;
    boolean isComplete = false;
    try {
      do {
        lookOnce(isWanted);
        isWanted = true;
      } while (isWantedAgain());
      isComplete = true;
    } finally {
      if (!isComplete) {
        stopLooking();
      }
    }
  }

  /**
   * Whether this task looks; another that does so already looks again, if this was to be at once.
   */
  private synchronized boolean beginLook(boolean atOnce) {
    if (isLooking) {
      isReloadWanted |= atOnce;
      return false;
    }
    isLooking = true;
    return true;
  }

  private synchronized boolean isWantedAgain() {
    isLooking = isReloadWanted;
    isReloadWanted = false;
    return isLooking;
  }

  private synchronized void stopLooking() {
    isLooking = false;
  }

  private void lookOnce(boolean atOnce) {
    Optional<EngineLimits> changed = Optional.empty();
    Optional<String> notice;
    try {
      EngineLimits now = source.read();
      if (!isSettled(now, atOnce)) {
        return;
      }
      changed = changed(now);
      notice = read(now);
    } catch (ConfigurationException malformed) {
      notice = failed(String.valueOf(malformed.getMessage()));
    } catch (RuntimeException defect) {
      // Its message may repeat what was read. What follows must go on looking.
      notice = failed("the limits of engines cannot be read (" + defect.getClass().getName() + ")");
    }
    changed.ifPresent(listener::changed);
    notice.ifPresent(notices);
    listener.looked(status());
  }

  private synchronized boolean isSettled(EngineLimits now, boolean atOnce) {
    boolean isSettled = now.equals(limits) || atOnce || now.equals(seen);
    if (!isSettled) {
      seen = now;
    }
    return isSettled;
  }

  private synchronized Optional<EngineLimits> changed(EngineLimits now) {
    return now.equals(limits) ? Optional.empty() : Optional.of(now);
  }

  /** What is to be reported of limits that could be read. */
  private synchronized Optional<String> read(EngineLimits now) {
    boolean isRepaired = problem != null;
    boolean isChanged = !now.equals(limits);
    problem = null;
    loadedAt = time.instant();
    limits = now;
    return isChanged
        ? Optional.of("the engine limits have changed; the new ones apply from now on")
        : isRepaired
            ? Optional.of("the limits of engines can be read again; they are as before")
            : Optional.empty();
  }

  /** What is to be reported of limits that could not be read. */
  private synchronized Optional<String> failed(String why) {
    boolean isNews = !isClosed && !why.equals(problem);
    problem = why;
    return isNews
        ? Optional.of(why + "; the limits of engines stay as they were")
        : Optional.empty();
  }

  public synchronized Status status() {
    return new Status(Optional.ofNullable(problem), loadedAt);
  }

  @Override
  public synchronized void close() {
    isClosed = true;
    if (looking != null) {
      looking.cancel();
    }
  }
}
