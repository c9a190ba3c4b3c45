package dev.weir.log;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.json.JsonMapper;

/** The result of a run as a JSON file, complete or absent, never half written. */
public final class ResultFile {

  private static final String FORMAT = "weir-result";
  private static final int VERSION = 1;

  private static final String PROBE = ".weir-probe";

  /** File systems commonly allow 255 bytes for a name; the rest of it needs about 40. */
  private static final int LONGEST_TASK_PART = 80;

  private static final DateTimeFormatter FILE_TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH-mm-ss", Locale.ROOT).withZone(ZoneOffset.UTC);

  private static final JsonMapper JSON =
      JsonMapper.builder()
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .enable(SerializationFeature.INDENT_OUTPUT)
          .enable(EnumFeature.WRITE_ENUMS_TO_LOWERCASE)
          .build();

  private ResultFile() {}

  /**
   * Makes sure that a result can be written later: creates the directory and tries it.
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

  /**
   * @return where it was written
   */
  public static Path write(Path directory, RunResult result) throws IOException {
    Path file = directory.resolve(fileName(result));
    Path unfinished = directory.resolve(file.getFileName() + ".tmp");
    try {
      // Not writeString: half a character in an answer must not cost the result.
      String text = JSON.writeValueAsString(document(result)) + "\n";
      Files.write(unfinished, text.getBytes(StandardCharsets.UTF_8));
      Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (JacksonException notWritable) {
      throw new IOException("cannot write " + file + ": " + notWritable.getMessage(), notWritable);
    } finally {
      Files.deleteIfExists(unfinished);
    }
    return file;
  }

  /** The document without its samples, for a script to read: what {@code --json} prints. */
  public static String summary(RunResult result, Optional<Path> writtenTo) {
    Map<String, Object> document = document(result);
    document.remove("results");
    document.put("log", writtenTo.map(Path::toString));
    return JSON.writeValueAsString(document);
  }

  private static Map<String, Object> document(RunResult result) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("format", FORMAT);
    document.put("version", VERSION);
    document.put("run_id", result.runId());
    document.put("status", result.status());
    document.put("error", result.error());
    document.put("task", result.task());
    document.put("model", result.model());
    document.put("seed", result.seed());
    document.put("concurrency_mode", result.concurrencyMode());
    document.put("max_connections", result.maxConnections());
    document.put("started", result.started());
    document.put("ended", result.ended());
    document.put("seconds", result.seconds());
    document.put("metrics", result.metrics());
    document.put("samples", result.samples());
    document.put("tokens", result.tokens());
    document.put("cost", result.cost());
    document.put("cached_answers", result.cachedAnswers());
    document.put("retries", result.retries());
    document.put("results", result.results());
    return document;
  }

  private static String fileName(RunResult result) {
    String task = result.task().replaceAll("[^A-Za-z0-9._-]+", "-");
    if (task.length() > LONGEST_TASK_PART) {
      task = task.substring(0, LONGEST_TASK_PART);
    }
    return FILE_TIME.format(result.started()) + "_" + task + "_" + result.runId() + ".json";
  }
}
