package dev.weir.log;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Reads the log of a run from its start to its end, one sample at a time. Not thread-safe.
 *
 * <p>A run that was killed has no end, and its last line may be cut off: that line is left out, and
 * {@link #isCutOff} tells.
 */
public final class RunLogReader implements AutoCloseable {

  private final Path file;
  private final BufferedReader lines;
  private final RunStart start;
  private Optional<RunResult> end = Optional.empty();
  private boolean cutOff;
  private int line;

  private RunLogReader(Path file, BufferedReader lines) throws IOException {
    this.file = file;
    this.lines = lines;
    JsonNode first = next().orElseThrow(() -> unusable("it is empty"));
    if (!first.path("format").asString("").equals(RunLog.FORMAT)) {
      throw unusable("it is not the log of a run");
    }
    if (first.path("version").asInt() > RunLog.VERSION) {
      throw unusable(
          "it has version %s of the format, and this Weir knows only up to %s; use a newer one"
              .formatted(first.path("version").asInt(), RunLog.VERSION));
    }
    this.start = LogJson.LINES.treeToValue(first, RunStart.class);
  }

  /**
   * @throws IOException if it cannot be read, or is no such log
   */
  public static RunLogReader open(Path file) throws IOException {
    BufferedReader lines = Files.newBufferedReader(file);
    try {
      return new RunLogReader(file, lines);
    } catch (IOException | RuntimeException unusable) {
      lines.close();
      throw unusable;
    }
  }

  public RunStart start() {
    return start;
  }

  /** The next sample; absent at the end. */
  public Optional<SampleResult> sample() throws IOException {
    while (true) {
      Optional<JsonNode> node = next();
      if (node.isEmpty()) {
        return Optional.empty();
      }
      switch (node.get().path("type").asString("")) {
        case "sample" -> {
          return Optional.of(LogJson.LINES.treeToValue(node.get(), SampleResult.class));
        }
        case "end" -> end = Optional.of(LogJson.LINES.treeToValue(node.get(), RunResult.class));
        default -> {
          // A later version may tell more.
        }
      }
    }
  }

  /** How the run ended; known when the last sample has been read. */
  public Optional<RunResult> end() {
    return end;
  }

  /** Whether the last line is incomplete. */
  public boolean isCutOff() {
    return cutOff;
  }

  private Optional<JsonNode> next() throws IOException {
    String text = lines.readLine();
    line++;
    if (text == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(LogJson.LINES.readTree(text));
    } catch (JacksonException broken) {
      if (lines.readLine() == null) {
        cutOff = true;
        return Optional.empty();
      }
      throw unusable("line %s is not JSON".formatted(line));
    }
  }

  private IOException unusable(String why) {
    return new IOException("%s: %s".formatted(file, why));
  }

  @Override
  public void close() throws IOException {
    lines.close();
  }
}
