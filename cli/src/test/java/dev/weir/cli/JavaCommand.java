package dev.weir.cli;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * How tests start {@code weir} in a process of its own. Two hundred are started, and each would
 * load some thousand classes from the sources' directories; so those are packed, and the classes
 * archived, below {@code target}, once for all tests of the same classes. That halves the time of a
 * start.
 */
final class JavaCommand {

  private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");

  /** Little to compile and to collect: these processes live for a second. */
  private static final List<String> QUICK_START =
      List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UsePerfData");

  private static final String ARCHIVE = "weir.aot";
  private static final String CLASS_PATH = "class-path.txt";

  private static final class Holder {
    private static final List<String> WORDS = made();
  }

  private JavaCommand() {}

  /** All but the words for weir itself. */
  static List<String> weir(List<String> javaOptions) {
    List<String> words = new ArrayList<>(Holder.WORDS);
    words.addAll(1, javaOptions);
    words.add("dev.weir.cli.Weir");
    return words;
  }

  private static List<String> made() {
    Path home = Path.of("target", "weir-classes").toAbsolutePath();
    try {
      Files.createDirectories(home);
      // Whoever comes second, in another Java, waits for the first and takes what that has made.
      try (var lock = FileChannel.open(home.resolve("lock"), CREATE, WRITE);
          var _ = lock.lock()) {
        Path directory = home.resolve(fingerprint());
        if (!Files.exists(directory)) {
          deleteAll(home);
          make(directory);
        }
        List<String> words = new ArrayList<>(List.of(JAVA.toString()));
        words.addAll(QUICK_START);
        // Without a word if it does not fit: with other options of a test, for example.
        words.addAll(List.of("-Xlog:disable", "-Xlog:all=error:stderr"));
        words.add("-XX:AOTCache=" + directory.resolve(ARCHIVE));
        words.addAll(List.of("-cp", Files.readString(directory.resolve(CLASS_PATH))));
        return words;
      }
    } catch (IOException unwritable) {
      throw new UncheckedIOException(unwritable);
    }
  }

  /** Of the class path. An empty one would be the working directory, where this is written. */
  private static List<Path> entries() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .filter(entry -> !entry.isEmpty())
        .map(Path::of)
        .filter(Files::exists)
        .toList();
  }

  /** What the classes are: each file of the class path, how long it is, and of when. */
  private static String fingerprint() throws IOException {
    var all = new CRC32C();
    for (Path entry : entries()) {
      try (Stream<Path> files = Files.walk(entry)) {
        for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
          String is = file + " " + Files.size(file) + " " + Files.getLastModifiedTime(file);
          all.update(is.getBytes(StandardCharsets.UTF_8));
        }
      }
    }
    return Long.toHexString(all.getValue());
  }

  /** All or nothing: a directory with this name is whole. */
  private static void make(Path directory) throws IOException {
    Path jars = Files.createDirectory(directory.resolveSibling(directory.getFileName() + "-jars"));
    Path half = Files.createDirectory(directory.resolveSibling(directory.getFileName() + "-half"));
    String classPath = packed(jars);
    train(half, half.resolve(ARCHIVE), classPath);
    Files.writeString(half.resolve(CLASS_PATH), classPath);
    Files.move(half, directory);
  }

  /** The class path, with a jar for each directory: only classes of jars are archived. */
  private static String packed(Path directory) throws IOException {
    List<String> entries = new ArrayList<>();
    for (Path entry : entries()) {
      if (Files.isDirectory(entry)) {
        Path jar = directory.resolve(entries.size() + ".jar");
        pack(entry, jar);
        entries.add(jar.toString());
      } else {
        entries.add(entry.toString());
      }
    }
    return String.join(File.pathSeparator, entries);
  }

  private static void pack(Path classes, Path jar) throws IOException {
    try (OutputStream out = Files.newOutputStream(jar);
        var zip = new ZipOutputStream(out);
        Stream<Path> files = Files.walk(classes)) {
      zip.setLevel(0);
      for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
        zip.putNextEntry(new ZipEntry(classes.relativize(file).toString()));
        Files.copy(file, zip);
        zip.closeEntry();
      }
    }
  }

  private static void train(Path directory, Path archive, String classPath) throws IOException {
    Path task =
        Files.writeString(
            directory.resolve("task.yaml"),
            """
            task: training
            dataset: [{input: Hello, target: Hello}]
            solver: [generate]
            scorer: includes
            """);
    // For the classes of the compiler.
    Path compiled =
        Files.writeString(
            directory.resolve("Training.java"),
            """
            import dev.weir.eval.dataset.Sample;
            import dev.weir.eval.scorer.Scorers;
            import dev.weir.eval.task.EvalTask;
            import dev.weir.eval.task.TaskDefinition;

            class Training {
              @EvalTask
              static TaskDefinition.Builder training() {
                return TaskDefinition.named("training")
                    .dataset(new Sample("1", "Hello", "Hello"))
                    .solver((state, context) -> state.generate(context.model()))
                    .scorer(Scorers.includes());
              }
            }
            """);
    List<String> words = new ArrayList<>(List.of(JAVA.toString()));
    words.addAll(QUICK_START);
    words.addAll(List.of("-XX:AOTCacheOutput=" + archive, "-Xlog:disable"));
    words.addAll(List.of("-cp", classPath, "dev.weir.cli.Weir", "eval"));
    words.addAll(List.of(task.toString(), compiled.toString()));
    words.addAll(List.of("--model", "sim/demo", "-M", "latency=1ms"));
    words.addAll(List.of("--log-dir", directory.resolve("logs").toString()));
    Path said = directory.resolve("said.txt");
    var builder = new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(said.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("WEIR_"));
    builder.environment().put("XDG_STATE_HOME", directory.resolve("state").toString());
    try {
      int code = builder.start().waitFor();
      if (code != 0 || !Files.exists(archive)) {
        throw new IOException(
            "no classes were archived (exit %d): %s".formatted(code, Files.readString(said)));
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(interrupted);
    }
  }

  /** Of classes that have changed since; but not the lock. */
  private static void deleteAll(Path home) throws IOException {
    try (Stream<Path> files = Files.walk(home)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        if (!file.equals(home) && !file.equals(home.resolve("lock"))) {
          Files.delete(file);
        }
      }
    }
  }
}
