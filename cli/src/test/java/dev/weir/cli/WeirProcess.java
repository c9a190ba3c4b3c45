package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.log.RunLogReader;
import dev.weir.log.RunResult;
import dev.weir.log.SampleResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * The {@code weir} command as a process of its own, and what it leaves.
 *
 * @param said what it said, on both streams
 */
record WeirProcess(Process process, Path said) implements AutoCloseable {

  private static final long PATIENCE_SECONDS = 60;

  private static final AtomicInteger STARTED = new AtomicInteger();

  static WeirProcess start(Path directory, List<String> words) throws IOException {
    return start(directory, List.of(), List.of(), Map.of(), words);
  }

  /**
   * @param shell what starts Java, if it is not started directly
   */
  static WeirProcess start(
      Path directory,
      List<String> shell,
      List<String> javaOptions,
      Map<String, String> environment,
      List<String> words)
      throws IOException {
    Files.createDirectories(directory);
    Path said = directory.resolve("said-%d.txt".formatted(STARTED.incrementAndGet()));
    List<String> command = new ArrayList<>(shell);
    command.addAll(JavaCommand.weir(javaOptions));
    command.addAll(words);
    var builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("WEIR_"));
    builder.environment().put("XDG_STATE_HOME", directory.resolve("state").toString());
    builder.environment().putAll(environment);
    return new WeirProcess(builder.start(), said);
  }

  /** The exit code, when it has ended. */
  int ended() throws Exception {
    assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).as("it ended").isTrue();
    return process.exitValue();
  }

  /** Waits for what it does; fails if it ends before, or does not do it. */
  void until(Condition condition) throws Exception {
    for (long left = TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS); !condition.holds(); left--) {
      assertThat(process.waitFor(1, TimeUnit.MILLISECONDS))
          .as(() -> "it ended too early: " + words())
          .isFalse();
      assertThat(left).as("it never came so far").isPositive();
    }
  }

  void signal(String name) throws Exception {
    int code =
        new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid())).start().waitFor();
    assertThat(code).isZero();
  }

  String words() {
    try {
      return Files.readString(said);
    } catch (IOException unreadable) {
      return unreadable.toString();
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }

  /** Something that a process brings about. */
  interface Condition {
    boolean holds() throws IOException;
  }

  /** How many bytes are in the files of a directory, whatever they are. */
  static long bytes(Path directory) throws IOException {
    long bytes = 0;
    for (Path file : files(directory)) {
      try {
        bytes += Files.size(file);
      } catch (NoSuchFileException replaced) {
        // By another, which is counted the next time.
      }
    }
    return bytes;
  }

  private static List<Path> files(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.toList();
    } catch (NoSuchFileException notYet) {
      return List.of();
    }
  }

  /** The log that a run left: finished if there is such, else its journal. */
  static Optional<Path> log(Path directory) throws IOException {
    List<Path> files = files(directory);
    return Stream.of(".eval", ".journal")
        .flatMap(end -> files.stream().filter(file -> file.toString().endsWith(end)))
        .findFirst();
  }

  /** A whole log. */
  record Logged(List<SampleResult> samples, Optional<RunResult> end, List<String> damage) {

    static Logged read(Path log) throws IOException {
      try (var reader = RunLogReader.open(log)) {
        List<SampleResult> samples = new ArrayList<>();
        for (var next = reader.sample(); next.isPresent(); next = reader.sample()) {
          samples.add(next.get());
        }
        return new Logged(samples, reader.end(), reader.damage());
      }
    }
  }
}
