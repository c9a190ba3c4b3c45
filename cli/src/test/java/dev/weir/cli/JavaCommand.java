package dev.weir.cli;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * How tests start {@code weir} in a process of its own. Two hundred are started, and each would
 * load some thousand classes from the sources' directories; so those are packed, and the classes
 * archived, once for all tests that share a Java. That halves the time of a start.
 */
final class JavaCommand {

  private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");

  /** Little to compile and to collect: these processes live for a second. */
  private static final List<String> QUICK_START =
      List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UsePerfData");

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
    try {
      Path directory = Files.createTempDirectory("weir-classes");
      Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(directory)));
      Path archive = directory.resolve("weir.aot");
      String classPath = packed(directory);
      train(directory, archive, classPath);
      List<String> words = new ArrayList<>(List.of(JAVA.toString()));
      words.addAll(QUICK_START);
      // Without a word if it does not fit: with other options of a test, for example.
      words.addAll(List.of("-Xlog:disable", "-Xlog:all=error:stderr"));
      words.add("-XX:AOTCache=" + archive);
      words.addAll(List.of("-cp", classPath));
      return words;
    } catch (IOException unwritable) {
      throw new UncheckedIOException(unwritable);
    }
  }

  /** The class path, with a jar for each directory: only classes of jars are archived. */
  private static String packed(Path directory) throws IOException {
    List<String> entries = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      if (Files.isDirectory(Path.of(entry))) {
        Path jar = directory.resolve(entries.size() + ".jar");
        pack(Path.of(entry), jar);
        entries.add(jar.toString());
      } else if (Files.exists(Path.of(entry))) {
        entries.add(entry);
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
    Path task = directory.resolve("task.yaml");
    Files.writeString(
        task,
        """
        task: training
        dataset: [{input: Hello, target: Hello}]
        solver: [generate]
        scorer: includes
        """);
    List<String> words = new ArrayList<>(List.of(JAVA.toString()));
    words.addAll(QUICK_START);
    words.addAll(List.of("-XX:AOTCacheOutput=" + archive, "-Xlog:disable"));
    words.addAll(List.of("-cp", classPath, "dev.weir.cli.Weir", "eval", task.toString()));
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

  private static void delete(Path directory) {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException left) {
      // The system removes what is left.
    }
  }
}
