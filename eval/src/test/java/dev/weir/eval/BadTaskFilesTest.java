package dev.weir.eval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.eval.option.Settings;
import dev.weir.model.ConfigurationException;
import dev.weir.time.virtual.VirtualTime;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * What is said of task files that cannot be used, word by word: {@code bad-tasks.txt} has the files
 * and the messages. All is said before the first call, and before anything is written.
 */
class BadTaskFilesTest {

  private static final String TABLE = "bad-tasks.txt";

  @TempDir Path directory;

  /** A file, and what is said of it. */
  private record Case(String name, String task, String message) {}

  @BeforeEach
  void writeDatasets() throws IOException {
    write("d.csv", "input,target,language\nq,a,de\n");
    write("d.txt", "x");
    write("broken.csv", "input,target\n\"a\nb\",c\nq,a,b,c\n");
    String row = "{\"input\":\"a\",\"target\":\"b\"}";
    write("broken.jsonl", row + "\n{\"input\":\"a\",\"target\":\n" + row + "\n");
    write("broken.json", "[" + row + ",\n {\"input\":\"a\",\n \"targt\":\"b\"}]\n");
    write("scalar.json", "[1]");
    Files.write(
        directory.resolve("latin.csv"),
        "input,target\n\u00e9,a\n".getBytes(StandardCharsets.ISO_8859_1));
  }

  private void write(String name, String text) throws IOException {
    Files.writeString(directory.resolve(name), text);
  }

  @TestFactory
  List<DynamicTest> eachIsToldWithWhatWhereAndWhatToDo() throws IOException {
    List<Case> cases = cases();
    assertThat(cases).hasSizeGreaterThan(100);
    return cases.stream()
        .map(one -> DynamicTest.dynamicTest(one.name(), () -> refuses(one)))
        .toList();
  }

  private static List<Case> cases() throws IOException {
    String text;
    try (InputStream table =
        Objects.requireNonNull(BadTaskFilesTest.class.getResourceAsStream(TABLE))) {
      text = new String(table.readAllBytes(), StandardCharsets.UTF_8);
    }
    List<Case> cases = new ArrayList<>();
    for (String entry : text.split("(?m)^=== ", -1)) {
      int name = entry.indexOf('\n');
      int message = entry.lastIndexOf("--- ");
      if (message >= 0) {
        cases.add(
            new Case(
                entry.substring(0, name),
                entry.substring(name + 1, message),
                entry.substring(message + "--- ".length()).strip()));
      }
    }
    return cases;
  }

  private void refuses(Case one) throws IOException {
    Path task = Files.writeString(directory.resolve("t.yaml"), one.task());
    Path logs = directory.resolve("logs");
    // No program is on this path: neither docker nor bwrap.
    var host = new Host(Map.of("PATH", "/nowhere"), Optional.empty(), (_, _) -> {});
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(
            () ->
                Evaluation.prepare(
                    VirtualTime.seeded(1), task, Settings.NONE.with("log-dir", logs), host))
        .satisfies(
            told ->
                assertThat(String.valueOf(told.getMessage()).replace(directory + "/", ""))
                    .isEqualTo(one.message()));
    assertThat(logs).doesNotExist();
  }
}
