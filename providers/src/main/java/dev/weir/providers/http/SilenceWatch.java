package dev.weir.providers.http;

import dev.weir.model.DurationText;
import dev.weir.time.Task;
import dev.weir.time.Time;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Hangs up on servers that have fallen silent.
 *
 * <p>A timeout of each read would do the same, but for every one Java sets a timer and wakes its
 * thread, and does so again when the read ends: a sixth of the processor time of a sample. Here a
 * call only counts what it hears, and all calls are looked at now and then.
 *
 * <p>Thread-safe.
 */
final class SilenceWatch implements AutoCloseable {

  /** While a silence lasts too long: so it is noticed a tenth later at most. */
  private static final int LOOKS = 20;

  private final Time time;
  private final Duration longest;
  private final Set<Call> calls = ConcurrentHashMap.newKeySet();

  private @Nullable Task<?> looking;
  private volatile boolean isLooking;

  SilenceWatch(Time time, Duration longest) {
    this.time = time;
    this.longest = longest;
  }

  /**
   * Watches a call until it {@linkplain Call#end() ends}.
   *
   * @param hangUp closes its connection; called by another thread
   * @param longestBefore how long it may be silent before the first byte
   */
  Call begin(Runnable hangUp, Duration longestBefore) {
    var call = new Call(hangUp, longestBefore);
    calls.add(call);
    if (!isLooking) {
      startLooking();
    }
    return call;
  }

  private synchronized void startLooking() {
    if (!isLooking) {
      isLooking = true;
      looking = time.start("watch for silent servers", this::look);
    }
  }

  private void look() throws InterruptedException {
    Duration pause = longest.dividedBy(LOOKS);
    while (true) {
      time.sleep(pause);
      long now = time.nanos();
      for (Call call : calls) {
        call.look(now);
      }
    }
  }

  @Override
  public synchronized void close() {
    if (looking != null) {
      looking.cancel();
    }
  }

  /** A call that waits for a response, or for the rest of one. */
  final class Call {

    private final Runnable hangUp;
    private final Duration longestBefore;
    private final AtomicInteger heard = new AtomicInteger();
    private volatile boolean fellSilent;

    // Only of whoever looks: what had been heard, and since when it is no more than that.
    private int known = -1;
    private long since;

    private Call(Runnable hangUp, Duration longestBefore) {
      this.hangUp = hangUp;
      this.longestBefore = longestBefore;
    }

    /** Something has come. */
    void heard() {
      heard.lazySet(heard.getPlain() + 1);
    }

    private void look(long now) {
      int count = heard.get();
      if (count != known) {
        known = count;
        since = now;
      } else if (now - since >= patience().toNanos() && calls.remove(this)) {
        fellSilent = true;
        hangUp.run();
      }
    }

    private Duration patience() {
      return heard.get() == 0 ? longestBefore : longest;
    }

    /** Nothing more is waited for; false if it was hung up. */
    boolean end() {
      return calls.remove(this);
    }

    /** What a failure means: a connection that was hung up just looks closed. */
    IOException meaning(IOException failed) {
      if (!fellSilent) {
        return failed;
      }
      var silence =
          new SocketTimeoutException("nothing came for " + DurationText.words(patience()));
      silence.initCause(failed);
      return silence;
    }
  }
}
