package dev.weir.browser;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** The {@code weir} command as a process of its own. */
record Weir(Process process, Path said) implements AutoCloseable {

  private static final long PATIENCE_MILLIS = 60_000;

  static Weir start(Path directory, Map<String, String> environment, String... words)
      throws IOException {
    Path said = Files.createTempFile(directory, "said", ".txt");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.addAll(List.of("-cp", absolute(System.getProperty("java.class.path"))));
    command.add("dev.weir.cli.Weir");
    command.addAll(List.of(words));
    var builder =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(said.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("WEIR_"));
    builder.environment().put("XDG_STATE_HOME", directory.resolve("state").toString());
    builder.environment().putAll(environment);
    return new Weir(builder.start(), said);
  }

  private static String absolute(String classPath) {
    return String.join(
        File.pathSeparator,
        Pattern.compile(File.pathSeparator)
            .splitAsStream(classPath)
            .map(entry -> Path.of(entry).toAbsolutePath().toString())
            .toList());
  }

  /** Waits until it says so. */
  MatchResult until(String pattern) throws Exception {
    Pattern wanted = Pattern.compile(pattern);
    for (long left = PATIENCE_MILLIS; left > 0; left--) {
      var found = wanted.matcher(words());
      if (found.find()) {
        return found.toMatchResult();
      }
      assertThat(process.waitFor(1, TimeUnit.MILLISECONDS))
          .as(() -> "it ended too early: " + words())
          .isFalse();
    }
    throw new AssertionError("it never said so: " + words());
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
}
