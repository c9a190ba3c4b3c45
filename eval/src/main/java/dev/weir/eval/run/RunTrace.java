package dev.weir.eval.run;

import dev.weir.eval.option.TraceOptions.LogLevel;
import dev.weir.limits.event.LimitEvent;
import dev.weir.limits.event.Notice;
import dev.weir.log.trace.TraceFile;
import dev.weir.log.trace.TraceRecord;
import dev.weir.model.AttemptRecord;
import dev.weir.model.Origin;
import dev.weir.model.Printable;
import dev.weir.model.Usage;
import dev.weir.model.batch.BatchEvent;
import dev.weir.time.Task;
import dev.weir.time.Time;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Makes trace records of what models and limits tell, writes them to the trace of the run, and
 * shows them to whoever watches. Thread-safe.
 */
public final class RunTrace implements AutoCloseable {

  /** Some requests are whole books. */
  private static final int LONGEST_BODY = 256 << 10;

  /** Who took it back does not say how the provider is. */
  private static final String TAKEN_BACK = "cancelled";

  private static final Duration FLUSH_INTERVAL = Duration.ofMillis(500);

  private final Time time;
  private final String run;
  private final Optional<Path> directory;
  private final boolean bodies;
  private final BiConsumer<LogLevel, TraceRecord> watcher;
  // What each scope failed with last: as many as there are models.
  private final Map<String, String> lastFailures = new ConcurrentHashMap<>();
  // The models of each, as they were asked for.
  private final Map<String, String> models = new ConcurrentHashMap<>();
  private final ModelMeters meters;
  // Written before the first call, and again if it cannot go on.
  private volatile @Nullable TraceFile file;
  private volatile @Nullable Task<?> flusher;
  private volatile BiConsumer<String, WindowMove> windowMoved = (_, _) -> {};

  /**
   * @param run the id of the run
   * @param directory where it is kept, if it is
   * @param bodies whether what was asked and answered is kept, too
   * @param watcher is told each record with its level; on the task that caused it
   */
  public RunTrace(
      Time time,
      String run,
      Optional<Path> directory,
      boolean bodies,
      BiConsumer<LogLevel, TraceRecord> watcher) {
    this.time = time;
    this.run = run;
    this.directory = directory;
    this.bodies = bodies;
    this.watcher = watcher;
    this.meters = new ModelMeters(time);
  }

  /**
   * Reports each change of the number of calls that may be in flight, with its scope. To be called
   * before the first call.
   */
  public void onWindowMove(BiConsumer<String, WindowMove> listener) {
    windowMoved = listener;
  }

  /**
   * A change of the number of calls that may be in flight. A scope identifies whose they are; a
   * name would not, since two accounts may have models of the same name.
   *
   * @param reason in a word: {@code rate_limit}
   */
  public record WindowMove(Instant at, int before, int after, String reason) {}

  /** What the models of the run are doing. */
  public ModelMeters meters() {
    return meters;
  }

  /** A trace is a help: a run that cannot write it goes on, and says so. */
  public void begin() {
    if (directory.isEmpty()) {
      return;
    }
    try {
      file = TraceFile.begin(directory.get(), time.instant(), run);
      flusher = time.start("trace", this::flushNowAndThen);
    } catch (IOException unwritable) {
      warn("there will be no trace: " + unwritable);
    }
  }

  /** For those who read it while the run goes on, and after it was killed. */
  private void flushNowAndThen() throws InterruptedException {
    while (true) {
      time.sleep(FLUSH_INTERVAL);
      TraceFile open = file;
      if (open == null) {
        return;
      }
      try {
        open.flush();
      } catch (IOException full) {
        giveUp(full);
      }
    }
  }

  private void giveUp(IOException why) {
    TraceFile open = file;
    file = null;
    if (open != null) {
      open.close();
      warn("the trace ends here: " + why);
    }
  }

  /** Something that is worth a look, and no reason to end the run. */
  public void warn(String what) {
    tell(
        LogLevel.WARNING,
        new TraceRecord(
            time.instant(), "warning", "", "warning: " + Printable.line(what), Map.of()));
  }

  /** Somebody has changed something. */
  public void changed(String what) {
    tell(
        LogLevel.WARNING,
        new TraceRecord(time.instant(), "operator", "", Printable.line(what), Map.of()));
  }

  /** An attempt has ended. There are many: nothing is formatted, and no text is made twice. */
  public void attempted(AttemptRecord attempt) {
    Origin origin = attempt.origin();
    Map<String, Object> details = new LinkedHashMap<>();
    String model = origin.model().toString();
    models.putIfAbsent(attempt.scope(), model);
    details.put("model", model);
    details.put("attempt", attempt.attempt());
    details.put("outcome", attempt.outcome());
    if (origin.status().isPresent()) {
      details.put("status", origin.status().getAsInt());
    }
    details.put("waited", seconds(attempt.waited()));
    details.put("took", seconds(attempt.took()));
    if (attempt.serverWait().isPresent()) {
      details.put("server_wait", seconds(attempt.serverWait().get()));
    }
    if (attempt.usage().isPresent()) {
      Usage usage = attempt.usage().get();
      details.put("input_tokens", usage.inputTokens());
      if (usage.cacheReadTokens() > 0) {
        details.put("cache_read_tokens", usage.cacheReadTokens());
      }
      details.put("output_tokens", usage.outputTokens());
    }
    details.put("bytes_sent", origin.bytesSent());
    details.put("bytes_received", origin.bytesReceived());
    if (origin.requestId().isPresent()) {
      details.put("request_id", origin.requestId().get());
    }
    String said = "";
    if (attempt.message().isPresent()) {
      details.put("message", attempt.message().get());
      said = Printable.line(attempt.message().get());
      if (!attempt.outcome().equals(TAKEN_BACK)) {
        lastFailures.put(attempt.scope(), said);
      }
    }
    if (bodies && origin.raw().isPresent()) {
      details.put("request", cut(origin.raw().get().request()));
      details.put("response", cut(origin.raw().get().response()));
    }
    tell(
        LogLevel.HTTP,
        new TraceRecord(
            attempt.at().plus(attempt.took()),
            TraceRecord.HTTP,
            attempt.scope(),
            line(attempt, said),
            details));
  }

  /** Something happened to limits. */
  public void noted(Notice notice) {
    meters.noted(notice);
    Map<String, Object> details = new LinkedHashMap<>();
    String scope = notice.scope();
    switch (notice.event()) {
      case LimitEvent.RateLimitHit(var wait, var kind) -> {
        wait.ifPresent(asked -> details.put("server_wait", seconds(asked)));
        kind.ifPresent(word -> details.put("limit", word));
        String limit = kind.map(word -> " of " + word).orElse("");
        String asked = wait.map(w -> ", asked to wait " + text(w)).orElse("");
        tell(LogLevel.DEBUG, notice, "ratelimit:hit", "rate limit" + limit + asked, details);
      }
      case LimitEvent.LimitLearned(var dimension, double perSecond, var source) -> {
        details.put("dimension", dimension.word());
        details.put("per_minute", perSecond * 60);
        details.put("source", source.name().toLowerCase(Locale.ROOT));
        tell(
            LogLevel.DEBUG,
            notice,
            "ratelimit:learned",
            String.format(
                Locale.ROOT,
                "%.6g %s per minute (%s)",
                perSecond * 60,
                dimension.word(),
                source.name().toLowerCase(Locale.ROOT)),
            details);
      }
      case LimitEvent.QuotaWarning(var dimension, double remaining, double limit) -> {
        details.put("dimension", dimension.word());
        details.put("remaining", remaining);
        details.put("limit", limit);
        tell(
            LogLevel.DEBUG,
            notice,
            "ratelimit:warning",
            String.format(Locale.ROOT, "%.0f of %.0f %s left", remaining, limit, dimension.word()),
            details);
      }
      case LimitEvent.WindowChanged(int before, int after, var reason) -> {
        String why = reason.wireName();
        windowMoved.accept(scope, new WindowMove(notice.at(), before, after, why));
        details.put("before", before);
        details.put("after", after);
        details.put("reason", why);
        String name = after < before ? "concurrency:decreased" : "concurrency:increased";
        String line =
            "%s [connections] %s %d -> %d (%s)".formatted(name, scope, before, after, why);
        tell(LogLevel.HTTP, new TraceRecord(notice.at(), name, scope, line, details));
      }
      case LimitEvent.Retrying(int attempt, Duration after, String why) -> {
        details.put("attempt", attempt);
        details.put("after", seconds(after));
        details.put("why", why);
        String line = "attempt %d %s, again in %s".formatted(attempt, why, text(after));
        tell(LogLevel.INFO, notice, "request:retrying", line, details);
      }
      case LimitEvent.CircuitOpened() -> {
        String why = lastFailures.getOrDefault(scope, "");
        details.put("model", asked(scope));
        details.put("why", why);
        String line = "no answers, only probes go" + (why.isEmpty() ? "" : " (" + why + ")");
        tell(LogLevel.WARNING, notice, "circuit:opened", line, details);
      }
      case LimitEvent.CircuitClosed() -> {
        details.put("model", asked(scope));
        tell(LogLevel.WARNING, notice, "circuit:closed", "answers again", details);
      }
      case LimitEvent.Stopped(String reason) -> {
        details.put("model", asked(scope));
        details.put("reason", reason);
        tell(LogLevel.WARNING, notice, "scope:stopped", Printable.line(reason), details);
      }
    }
  }

  /** The model of a scope; all that were asked, if it is that of an account or a family. */
  private String asked(String scope) {
    String model = models.get(scope);
    if (model != null) {
      return model;
    }
    int family = scope.indexOf('#');
    String account = (family < 0 ? scope : scope.substring(0, family)) + "/";
    return models.entrySet().stream()
        .filter(known -> known.getKey().startsWith(account))
        .map(Map.Entry::getValue)
        .distinct()
        .sorted()
        .collect(Collectors.joining(", "));
  }

  /** Something happened to a batch. */
  public void batched(BatchEvent batch) {
    LogLevel level =
        switch (batch.kind()) {
          case TROUBLE, FAILED, LEFT -> LogLevel.WARNING;
          case SENT, PICKED_UP, PROGRESS, ENDED -> LogLevel.INFO;
        };
    String event = "batch:" + batch.kind().name().toLowerCase(Locale.ROOT);
    Map<String, Object> details = new LinkedHashMap<>();
    batch.id().ifPresent(id -> details.put("id", id));
    details.put("requests", batch.requests());
    String scope = batch.model().toString();
    String line =
        "%s %s: %s, %d requests%s"
            .formatted(
                event,
                scope,
                batch.id().map(Printable::line).orElse("not sent yet"),
                batch.requests(),
                batch.detail().isEmpty() ? "" : ", " + Printable.line(batch.detail()));
    tell(level, new TraceRecord(batch.at(), event, scope, line, details));
  }

  @Override
  public void close() {
    Task<?> flushing = flusher;
    if (flushing != null) {
      flushing.cancel();
    }
    TraceFile open = file;
    if (open != null) {
      open.close();
    }
  }

  private void tell(
      LogLevel level, Notice notice, String event, String line, Map<String, Object> details) {
    tell(
        level,
        new TraceRecord(
            notice.at(),
            event,
            notice.scope(),
            "%s %s: %s".formatted(event, notice.scope(), line),
            details));
  }

  private void tell(LogLevel level, TraceRecord record) {
    TraceFile open = file;
    if (open != null) {
      try {
        open.write(record);
      } catch (IOException full) {
        giveUp(full);
      }
    }
    watcher.accept(level, record);
  }

  private static String line(AttemptRecord attempt, String said) {
    Origin origin = attempt.origin();
    var line = new StringBuilder(160);
    line.append("http ").append(attempt.scope()).append(' ');
    if (origin.status().isPresent()) {
      line.append(origin.status().getAsInt()).append(' ');
    }
    line.append(attempt.outcome()).append(" in ");
    append(line, attempt.took());
    if (attempt.attempt() > 1) {
      line.append(", attempt ").append(attempt.attempt());
    }
    if (attempt.serverWait().isPresent()) {
      append(line.append(", asked to wait "), attempt.serverWait().get());
    }
    line.append(", ").append(origin.bytesSent()).append(" B out, ");
    line.append(origin.bytesReceived()).append(" B in");
    if (origin.requestId().isPresent()) {
      line.append(", ").append(Printable.line(origin.requestId().get()));
    }
    if (attempt.message().isPresent()) {
      line.append(": ").append(said);
    }
    return line.toString();
  }

  private static String cut(String body) {
    return body.length() <= LONGEST_BODY ? body : body.substring(0, LONGEST_BODY) + "…";
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }

  private static String text(Duration duration) {
    var text = new StringBuilder();
    append(text, duration);
    return text.toString();
  }

  /** To the millisecond: {@code 1.500 s}. */
  private static void append(StringBuilder text, Duration duration) {
    long millis = Math.round(duration.toNanos() / 1e6);
    int fraction = Math.floorMod(millis, 1_000);
    text.append(Math.floorDiv(millis, 1_000)).append('.');
    text.append((char) ('0' + fraction / 100));
    text.append((char) ('0' + fraction / 10 % 10));
    text.append((char) ('0' + fraction % 10));
    text.append(" s");
  }
}
