package dev.weir.log;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.node.ObjectNode;

/**
 * The log of a run while it is written: JSON lines that are only ever appended. The first tells
 * what began, the last how it ended; one for each sample between them. Thread-safe.
 */
public final class RunLog implements AutoCloseable {

  static final String FORMAT = "weir-log";
  static final int VERSION = 2;

  private static final String PROBE = ".weir-probe";

  /** File systems commonly allow 255 bytes for a name; the rest of it needs about 40. */
  private static final int LONGEST_TASK_PART = 80;

  private static final String ENDING = ".jsonl";
  private static final int MOST_COPIES = 1_000;
  private static final int BUFFER = 64 << 10;

  private static final DateTimeFormatter FILE_TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH-mm-ss", Locale.ROOT).withZone(ZoneOffset.UTC);

  private final Path file;
  // Guarded by this.
  private final OutputStream out;

  private RunLog(Path file) throws IOException {
    this.file = file;
    this.out = new BufferedOutputStream(Files.newOutputStream(file, CREATE_NEW, WRITE), BUFFER);
  }

  /**
   * Makes sure that logs can be written later: creates the directory and tries it.
   *
   * @throws IOException if the directory cannot be made or written to
   */
  public static void prepare(Path directory) throws IOException {
    Files.createDirectories(directory);
    Path probe = directory.resolve(PROBE);
    // Two processes may do this at once: the file may be there already, or gone again.
    try (var _ = Files.newByteChannel(probe, CREATE, WRITE)) {
      // That it can be opened is all there is to know.
    }
    Files.deleteIfExists(probe);
  }

  /** Begins a log. */
  public static RunLog begin(Path directory, RunStart start) throws IOException {
    Files.createDirectories(directory);
    RunLog log = create(directory, fileName(start));
    log.write(
        "\"start\",\"format\":\"%s\",\"version\":%d".formatted(FORMAT, VERSION),
        () -> fields(start));
    return log;
  }

  /** Another run may have the name, if clocks and chance will have it so. */
  private static RunLog create(Path directory, String name) throws IOException {
    for (int copy = 1; ; copy++) {
      try {
        String suffix = copy == 1 ? "" : "-" + copy;
        return new RunLog(directory.resolve(name + suffix + ENDING));
      } catch (FileAlreadyExistsException taken) {
        if (copy == MOST_COPIES) {
          throw taken;
        }
      }
    }
  }

  public Path file() {
    return file;
  }

  /** When it returns, the sample is with the operating system. */
  public void append(SampleResult sample) throws IOException {
    write("\"sample\"", () -> SampleJson.fields(sample));
  }

  public void end(RunResult result) throws IOException {
    write("\"end\"", () -> fields(result));
  }

  private static String fields(Object body) {
    return LogJson.LINES.writeValueAsString(body).substring(1);
  }

  /**
   * @param type what the line is, as JSON, and what else stands before the fields of the body
   */
  private void write(String type, Supplier<String> fields) throws IOException {
    byte[] line;
    try {
      // Not a writer of characters: half a character in an answer must not cost the sample.
      line = ("{\"type\":" + type + "," + fields.get() + "\n").getBytes(StandardCharsets.UTF_8);
    } catch (JacksonException notWritable) {
      throw new IOException("cannot write " + file + ": " + notWritable.getMessage(), notWritable);
    }
    synchronized (this) {
      out.write(line);
      out.flush();
    }
  }

  @Override
  public synchronized void close() throws IOException {
    out.close();
  }

  /** The result for a script to read: what {@code --json} prints. */
  public static String summary(RunResult result, Optional<Path> writtenTo) {
    ObjectNode document = LogJson.LINES.createObjectNode();
    document.put("format", "weir-result");
    document.put("version", VERSION);
    ObjectNode tree = LogJson.LINES.valueToTree(result);
    ObjectNode start = (ObjectNode) tree.remove("start");
    start.properties().forEach(field -> document.set(field.getKey(), field.getValue()));
    // Those of the start are how many there are to be; what became of them says that, too.
    tree.properties().forEach(field -> document.set(field.getKey(), field.getValue()));
    document.put("log", writtenTo.map(Path::toString).orElse(null));
    return LogJson.LINES.writerWithDefaultPrettyPrinter().writeValueAsString(document);
  }

  private static String fileName(RunStart start) {
    String task = start.task().replaceAll("[^A-Za-z0-9._-]+", "-");
    if (task.length() > LONGEST_TASK_PART) {
      task = task.substring(0, LONGEST_TASK_PART);
    }
    return FILE_TIME.format(start.started()) + "_" + task + "_" + start.runId();
  }
}
