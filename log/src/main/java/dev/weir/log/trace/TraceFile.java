package dev.weir.log.trace;

import dev.weir.log.json.JsonText;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The trace of one run: JSON lines, compressed. What was flushed survives the process; of a file
 * that breaks off, everything before the break can be read.
 *
 * <p>Thread-safe.
 */
public final class TraceFile implements AutoCloseable {

  private static final int RUNS_KEPT = 10;

  private static final int BUFFER = 8_192;

  private static final int USUAL_LINE = 768;

  /** Compressed, about a twentieth of that. */
  private static final long MOST_BYTES = 4L << 30;

  private static final String ENDING = ".trace.gz";

  private static final DateTimeFormatter NAME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH-mm-ss-SSS").withZone(ZoneOffset.UTC);

  private static final JsonMapper JSON = new JsonMapper();

  private final Path file;

  // Guarded by this.
  private @Nullable OutputStream out;
  private long written;
  private boolean isDirty;

  private TraceFile(Path file, OutputStream out) {
    this.file = file;
    this.out = out;
  }

  /**
   * Begins a trace, and removes the oldest so that ten are kept.
   *
   * @throws IOException if nothing can be written there
   */
  public static TraceFile begin(Path directory, Instant now, String run) throws IOException {
    Files.createDirectories(directory);
    List<Path> earlier = list(directory);
    for (Path old : earlier.subList(Math.min(RUNS_KEPT - 1, earlier.size()), earlier.size())) {
      Files.deleteIfExists(old);
    }
    Path file = directory.resolve(NAME.format(now) + "-" + run + ENDING);
    OutputStream to = Files.newOutputStream(file, StandardOpenOption.CREATE_NEW);
    // It may hold conversations.
    if (Files.getFileStore(file).supportsFileAttributeView("posix")) {
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }
    return new TraceFile(file, new BufferedOutputStream(new QuickGzip(to), BUFFER));
  }

  /** There is a line for each attempt, and what is saved by trying harder is soon deleted. */
  private static final class QuickGzip extends GZIPOutputStream {

    QuickGzip(OutputStream to) throws IOException {
      super(to, BUFFER, true);
      def.setLevel(Deflater.BEST_SPEED);
    }
  }

  /** The traces in a directory, the newest first. */
  public static List<Path> list(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(file -> file.getFileName().toString().endsWith(ENDING))
          .sorted(Comparator.reverseOrder())
          .toList();
    }
  }

  public Path file() {
    return file;
  }

  /** Adds a record; others see it after the next {@link #flush}. */
  public void write(TraceRecord record) throws IOException {
    write(json(record).add("\n").bytes());
  }

  private synchronized void write(byte[] line) throws IOException {
    if (out == null) {
      return;
    }
    written += line.length;
    isDirty = true;
    try {
      out.write(line);
    } catch (IOException full) {
      close();
      throw full;
    }
    if (written > MOST_BYTES) {
      close();
      throw new IOException(file + " has become too large");
    }
  }

  /** What was written so far can now be read, also after a sudden end. */
  public synchronized void flush() throws IOException {
    if (out != null && isDirty) {
      isDirty = false;
      out.flush();
    }
  }

  @Override
  public synchronized void close() {
    if (out != null) {
      try {
        out.close();
      } catch (IOException full) {
        // Whoever wrote last was told.
      }
      out = null;
    }
  }

  /**
   * Reads a trace, which may still be written, or have broken off.
   *
   * @throws IOException if it is not one
   */
  public static void read(Path file, Consumer<TraceRecord> reader) throws IOException {
    try (var raw = new BufferedInputStream(Files.newInputStream(file))) {
      raw.mark(2);
      int first = raw.read();
      int second = raw.read();
      raw.reset();
      if (first < 0) {
        return;
      }
      if (first != 0x1f || (second >= 0 && second != 0x8b)) {
        throw new IOException(file + " is not a trace: it is not gzip");
      }
      readLines(file, raw, reader);
    }
  }

  private static void readLines(Path file, InputStream raw, Consumer<TraceRecord> reader)
      throws IOException {
    try (var in =
        new BufferedReader(
            new InputStreamReader(new Whole(new GZIPInputStream(raw)), StandardCharsets.UTF_8))) {
      String line = in.readLine();
      while (line != null) {
        String next = in.readLine();
        try {
          reader.accept(record(line));
        } catch (JacksonException | DateTimeException | IllegalArgumentException torn) {
          // Only the last line may be unfinished.
          if (next != null || !isTorn(torn)) {
            throw new IOException(file + " is not a trace: it holds other lines", torn);
          }
        }
        line = next;
      }
    } catch (EOFException nothingYet) {
      // Killed, or read, before even its head was written.
    }
  }

  private static boolean isTorn(RuntimeException problem) {
    return problem instanceof JacksonException;
  }

  /** A stream that breaks off ends there: the run was killed, or goes on. */
  private static final class Whole extends FilterInputStream {

    Whole(InputStream in) {
      super(in);
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      try {
        return super.read(into, offset, length);
      } catch (EOFException | ZipException broken) {
        return -1;
      }
    }
  }

  /** A record as it stands in the file. */
  public static String line(TraceRecord record) {
    return json(record).toString();
  }

  private static JsonText json(TraceRecord record) {
    // Written by hand: there is a record for each attempt, on the task that made it.
    var json = new JsonText(USUAL_LINE);
    json.instant("{\"at\":", record.at());
    json.text(",\"event\":", record.event());
    json.text(",\"scope\":", record.scope());
    json.text(",\"line\":", record.line());
    for (Map.Entry<String, Object> detail : record.details().entrySet()) {
      json.text(",", detail.getKey());
      value(json, detail.getValue());
    }
    return json.add("}");
  }

  private static void value(JsonText json, Object value) {
    switch (value) {
      case String text -> json.text(":", text);
      case Integer number -> json.number(":", number.longValue());
      case Long number -> json.number(":", number.longValue());
      // Most are times, and all others are written as well.
      case Double number -> json.seconds(":", number);
      default -> json.any(":", value);
    }
  }

  private static TraceRecord record(String line) {
    JsonNode node = JSON.readTree(line);
    if (!node.path("at").isString() || !node.path("event").isString()) {
      throw new IllegalArgumentException("a record has a time and an event");
    }
    Map<String, Object> details = new LinkedHashMap<>();
    node.properties()
        .forEach(
            field -> {
              if (!List.of("at", "event", "scope", "line").contains(field.getKey())) {
                details.put(field.getKey(), JSON.convertValue(field.getValue(), Object.class));
              }
            });
    return new TraceRecord(
        Instant.parse(node.path("at").asString()),
        node.path("event").asString(),
        node.path("scope").asString(""),
        node.path("line").asString(""),
        details);
  }
}
