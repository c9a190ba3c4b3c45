package dev.weir.model;

import dev.weir.limits.Call;
import dev.weir.limits.retry.Outcome;
import dev.weir.model.cache.CacheKey;
import dev.weir.model.cache.ResponseCache;
import dev.weir.model.cache.ResponseCache.Flight;
import dev.weir.model.cache.ResponseCache.Lookup;
import dev.weir.time.Time;
import java.time.Duration;
import java.util.Optional;

/**
 * Calls that are made only if their answer is not known yet.
 *
 * <p>A hit never comes near the lane: it takes no permit, nothing is learned from it, and it is no
 * attempt in a trace. Only answers are kept; a failure, or an answer that a filter cut off, is
 * asked for again.
 */
final class CachedCalls {

  private final Time time;
  private final ModelName model;
  private final ResponseCache cache;
  private final CacheKeys keys;

  CachedCalls(Time time, ModelName model, ResponseCache cache, CacheKeys keys) {
    this.time = time;
    this.model = model;
    this.cache = cache;
    this.keys = keys;
  }

  /** A call that asks the provider. */
  @FunctionalInterface
  interface Live {
    Call<Response> make() throws InterruptedException;
  }

  Call<Response> call(Request request, long deadlineNanos, Model.Reader reader, Live live)
      throws InterruptedException {
    long begin = time.nanos();
    CacheKey key = keys.of(request);
    // What another version wrote in a form of its own is asked for again, and overwritten.
    return switch (cache.look(key, deadlineNanos, this::isKnown)) {
      case Lookup.Hit(String text) -> {
        Optional<Response.Reply> reply = ReplyCodec.decode(text, model);
        yield reply.isEmpty()
            ? live.make()
            : known(reply.get(), queued(Duration.ofNanos(time.nanos() - begin)), reader);
      }
      case Lookup.Miss(Flight flight) -> {
        try (flight) {
          Call<Response> call = live.make();
          if (call.value() instanceof Response.Reply reply && ReplyCodec.isWorthKeeping(reply)) {
            flight.land(model.toString(), ReplyCodec.encode(reply));
          }
          yield call;
        }
      }
      // The lane refuses it, in its own words.
      case Lookup.TooLate _ -> live.make();
    };
  }

  private boolean isKnown(String text) {
    return ReplyCodec.decode(text, model).isPresent();
  }

  private static Call.Times queued(Duration queued) {
    return new Call.Times(queued, Duration.ZERO, Duration.ZERO, Duration.ZERO, Duration.ZERO);
  }

  /** A call that nobody had to be asked for. */
  static Call<Response> known(Response.Reply reply, Call.Times times, Model.Reader reader)
      throws InterruptedException {
    if (!reader.equals(Model.Reader.NONE)) {
      for (Chunk piece : Chunk.piecesOf(reply.message())) {
        reader.read(piece);
      }
    }
    return new Call<>(reply, new Outcome.Nothing(), 1, Optional.empty(), times);
  }
}
