package dev.weir.cli.recording;

import dev.weir.limits.event.LimitEvent;
import dev.weir.limits.event.Notice;
import dev.weir.model.ModelName;
import dev.weir.model.Usage;
import dev.weir.telemetry.Telemetry;
import dev.weir.time.Time;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a run leaves: what {@code /metrics} said at each scrape, and what the provider, its callers
 * and the regulator did, which nothing of the metrics is computed from.
 *
 * <p>A file of scrapes is OpenMetrics with timestamps, as {@code promtool tsdb create-blocks-from
 * openmetrics} reads it. The labels of a target are added, as Prometheus does.
 */
final class Recorder implements AutoCloseable {

  private static final String OPEN_METRICS = "application/openmetrics-text;version=1.0.0";
  private static final JsonMapper JSON = new JsonMapper();

  private final Path directory;
  private final Time time;
  private final long start;
  private final BufferedWriter trace;
  // Samples by family, since OpenMetrics wants those of a family together.
  private final Map<Scrapes, Map<String, StringBuilder>> scraped = new EnumMap<>(Scrapes.class);

  /** One target, scraped at intervals of its own, in a part of the run. */
  enum Scrapes {
    MAIN(30, 0, 0, 7_200),
    /** The same twenty minutes twice, in days of their own. */
    EVERY_SECOND(1, 2, 1_620, 2_820),
    EVERY_MINUTE(60, 4, 1_620, 2_820);

    private final int seconds;
    private final int day;
    private final int from;
    private final int until;

    Scrapes(int seconds, int day, int from, int until) {
      this.seconds = seconds;
      this.day = day;
      this.from = from;
      this.until = until;
    }

    private boolean isDue(long second) {
      return second >= from && second < until && second % seconds == Recording.PHASE % seconds;
    }

    /** Rules about saturation read gauges; the rest would make a scrape each second large. */
    private boolean isWanted(String type) {
      return this == MAIN || (type.startsWith("# TYPE model_") && type.endsWith(" gauge"));
    }

    private String file() {
      return name().toLowerCase(Locale.ROOT) + ".om";
    }
  }

  Recorder(Path directory, Time time) throws IOException {
    this.directory = directory;
    this.time = time;
    this.start = time.nanos();
    this.trace = Files.newBufferedWriter(directory.resolve("trace.jsonl"));
    for (Scrapes scrapes : Scrapes.values()) {
      scraped.put(scrapes, new LinkedHashMap<>());
    }
  }

  long since(long nanos) {
    return nanos - start;
  }

  // What happened.

  void attempted(
      String process,
      ModelName model,
      int call,
      long sent,
      String outcome,
      String reason,
      Usage usage) {
    Map<String, Object> entry = entry("attempt", process, model.toString());
    entry.put("call", call);
    entry.put("sent", since(sent));
    entry.put("ended", since(time.nanos()));
    entry.put("outcome", outcome);
    entry.put("reason", reason);
    entry.put("input", usage.inputTokens());
    entry.put("cached", usage.cacheReadTokens());
    entry.put("output", usage.outputTokens());
    write(entry);
  }

  void called(String process, ModelName model, int call, long began, boolean isReturned) {
    Map<String, Object> entry = entry("call", process, model.toString());
    entry.put("call", call);
    entry.put("began", since(began));
    entry.put("ended", since(time.nanos()));
    entry.put("returned", isReturned);
    write(entry);
  }

  void noted(String process, Notice notice) {
    if (notice.event() instanceof LimitEvent.Retrying retrying) {
      Map<String, Object> entry = entry("retry", process, notice.scope());
      entry.put("at", since(notice.nanos()));
      entry.put("after", retrying.after().toNanos());
      write(entry);
    } else if (notice.event() instanceof LimitEvent.WindowChanged moved) {
      Map<String, Object> entry = entry("window", process, notice.scope());
      entry.put("at", since(notice.nanos()));
      entry.put("before", moved.before());
      entry.put("after", moved.after());
      entry.put("reason", moved.reason().wireName());
      write(entry);
    }
  }

  /** Limits were put into the file of a process; absent if nobody can read them. */
  void limited(String process, Optional<Map<String, Object>> limits) {
    Map<String, Object> entry = entry("limits", process, "");
    entry.put("at", since(time.nanos()));
    limits.ifPresent(engines -> entry.put("engines", engines));
    write(entry);
  }

  /** A process has begun, or has ended. */
  void turned(String process, boolean isUp) {
    Map<String, Object> entry = entry(isUp ? "up" : "down", process, "");
    entry.put("at", since(time.nanos()));
    write(entry);
  }

  private static Map<String, Object> entry(String type, String process, String model) {
    Map<String, Object> entry = new LinkedHashMap<>();
    entry.put("type", type);
    entry.put("process", process);
    entry.put("model", model);
    return entry;
  }

  private void write(Map<String, Object> entry) {
    try {
      trace.write(JSON.writeValueAsString(entry));
      trace.newLine();
    } catch (IOException unwritable) {
      throw new UncheckedIOException(unwritable);
    }
  }

  // What the metrics say.

  /** Scrapes what is due in this second. */
  void scrape(RecordedProcess process, long second) {
    for (Scrapes scrapes : Scrapes.values()) {
      if (scrapes.isDue(second)) {
        scrape(scrapes, process.instance(), process.telemetry(scrapes));
        if (scrapes == Scrapes.MAIN) {
          Map<String, Object> entry = entry("scrape", process.instance(), "");
          entry.put("at", since(time.nanos()));
          write(entry);
        }
      }
    }
  }

  private void scrape(Scrapes scrapes, String instance, Telemetry telemetry) {
    double at =
        time.instant().toEpochMilli() / 1e3 + (double) Duration.ofDays(scrapes.day).toSeconds();
    String stamp = String.format(Locale.ROOT, " %.3f\n", at);
    String target = "instance=\"%s\",job=\"weir\"".formatted(instance);
    Map<String, StringBuilder> families = Objects.requireNonNull(scraped.get(scrapes));
    Optional<StringBuilder> family = Optional.empty();
    for (String line : telemetry.expose(Optional.of(OPEN_METRICS)).text().lines().toList()) {
      if (line.startsWith("# TYPE ")) {
        family =
            scrapes.isWanted(line)
                ? Optional.of(
                    families.computeIfAbsent(
                        line.split(" ", 4)[2], _ -> new StringBuilder(line + "\n")))
                : Optional.empty();
      } else if (!line.startsWith("#")) {
        family.ifPresent(lines -> append(lines, line, target, stamp));
      }
    }
  }

  private static void append(StringBuilder to, String line, String target, String stamp) {
    int brace = line.indexOf('{');
    int value = line.lastIndexOf(' ');
    if (brace < 0) {
      to.append(line, 0, value).append('{').append(target).append('}');
      to.append(line, value, line.length());
    } else {
      to.append(line, 0, brace + 1)
          .append(target)
          .append(',')
          .append(line, brace + 1, line.length());
    }
    to.append(stamp);
  }

  /** Writes the scrapes. */
  @Override
  public void close() throws IOException {
    trace.close();
    for (var of : scraped.entrySet()) {
      try (var out = Files.newBufferedWriter(directory.resolve(of.getKey().file()))) {
        for (StringBuilder lines : of.getValue().values()) {
          out.append(lines);
        }
        out.write("# EOF\n");
      }
    }
  }

  /** Writes what is known of the run from the start. */
  void describe(Map<String, Object> run) throws IOException {
    Files.writeString(directory.resolve("run.json"), JSON.writeValueAsString(run));
  }
}
