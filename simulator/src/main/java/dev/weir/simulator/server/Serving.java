package dev.weir.simulator.server;

import dev.weir.simulator.provider.Work;
import dev.weir.time.Time;
import dev.weir.web.Answer;
import dev.weir.web.EventSink;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** Admitted work on its way to the client: it is finished or abandoned, exactly once. */
final class Serving {

  /** The part of an answer's time that passes before a stream begins. */
  private static final double FIRST_TOKEN = 0.3;

  private final Time time;
  private final Desk desk;
  private final Dialect dialect;
  private final Dialect.Reply reply;
  private final Work work;
  private final long fingerprint;
  private final long begin;

  Serving(Time time, Desk desk, Dialect dialect, Dialect.Reply reply, Work work, long fingerprint) {
    this.time = time;
    this.desk = desk;
    this.dialect = dialect;
    this.reply = reply;
    this.work = work;
    this.fingerprint = fingerprint;
    this.begin = time.nanos();
  }

  Answer answer() throws InterruptedException {
    return reply.call().stream() ? Answer.events(this::stream) : Answer.json(200, whole());
  }

  /** When the headers are sent: with the first token of a stream, else with the whole answer. */
  long headersAt() {
    return at(reply.call().stream() ? FIRST_TOKEN : 1);
  }

  private Map<String, Object> whole() throws InterruptedException {
    boolean done = false;
    try {
      waitFor(1);
      done = true;
      finish();
      return dialect.answer(reply);
    } finally {
      if (!done) {
        desk.abandon(work, reply.call());
      }
    }
  }

  private void stream(EventSink sink) throws IOException, InterruptedException {
    boolean done = false;
    try {
      waitFor(FIRST_TOKEN);
      Dialect.Events events = dialect.events(reply);
      List<Dialect.Event> pieces = events.pieces();
      for (int i = 0; i < pieces.size(); i++) {
        waitFor(FIRST_TOKEN + (1 - FIRST_TOKEN) * i / Math.max(1, pieces.size() - 1));
        sink.send(pieces.get(i).name(), pieces.get(i).data());
      }
      waitFor(1);
      done = true;
      finish();
      for (Dialect.Event event : events.closing()) {
        sink.send(event.name(), event.data());
      }
    } finally {
      if (!done) {
        desk.abandon(work, reply.call());
      }
    }
  }

  private void waitFor(double share) throws InterruptedException {
    time.sleepUntil(at(share));
  }

  private long at(double share) {
    return begin + Math.round(share * work.request().latencyNanos());
  }

  private void finish() {
    desk.finish(work, fingerprint, reply.call(), reply.output().tokens());
  }
}
