package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.time.virtual.VirtualTime;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class InitCommandTest {

  private static final List<String> FILES = List.of("ci-example.yml", "data.csv", "task.yaml");

  @TempDir Path directory;

  private record Said(int code, String out, String err) {}

  private static Said weir(Object... words) throws Exception {
    var out = new StringWriter();
    var err = new StringWriter();
    VirtualTime time = VirtualTime.seeded(1);
    List<String> arguments = new ArrayList<>();
    for (Object word : words) {
      arguments.add(word.toString());
    }
    int code =
        time.run(
            () ->
                Weir.run(
                    new Surroundings(
                        time, new PrintWriter(out), new PrintWriter(err), Map.of(), false),
                    arguments.toArray(String[]::new)));
    return new Said(code, out.toString(), err.toString());
  }

  private static List<String> written(Path place) throws Exception {
    try (var files = Files.list(place)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void whatIsWrittenRunsAtOnce() throws Exception {
    Path place = directory.resolve("new/place");
    Said said = weir("init", place);
    assertThat(said.err()).isEmpty();
    assertThat(said.code()).isZero();
    assertThat(written(place)).isEqualTo(FILES);
    assertThat(said.out())
        .contains("Created " + place.resolve("data.csv"))
        .endsWith("Run it:  weir eval %s%n".formatted(place.resolve("task.yaml")));

    Path logs = directory.resolve("logs");
    Said run = weir("eval", place.resolve("task.yaml"), "--seed", 7, "--log-dir", logs);
    assertThat(run.code()).as(run.err()).isZero();
    assertThat(run.out())
        .contains("capitals  sim/demo", "  12  ")
        .as("there is a failure to read")
        .doesNotContain("1.000 [");
    Files.writeString(
        place.resolve("second.yaml"),
        "task: second\ndataset: data.csv\nsolver: generate\nscorer: includes\nmodel: sim/demo\n");
    Said both = weir("eval", place, "--log-dir", logs);
    assertThat(both.code()).as(both.err()).isZero();
    Files.delete(place.resolve("second.yaml"));
    Said listed = weir("list", "tasks", place);
    assertThat(listed.err()).isEmpty();
    assertThat(listed.out())
        .as("the example for CI is no task")
        .hasLineCount(1)
        .contains("12 samples");
  }

  @Test
  void theCommandOfTheExampleForCiPassesAndWritesItsReport() throws Exception {
    assertThat(weir("init", directory).code()).isZero();
    String command =
        Files.readString(directory.resolve("ci-example.yml"))
            .lines()
            .filter(line -> line.contains("run: weir/weir eval"))
            .findFirst()
            .orElseThrow();
    List<Object> words = new ArrayList<>();
    for (String word : command.strip().split(" ", -1)) {
      words.add(
          word.equals("task.yaml") || word.equals("results.xml") ? directory.resolve(word) : word);
    }
    words.addAll(List.of("--log-dir", directory.resolve("logs")));
    Said said = weir(words.subList(words.indexOf("eval"), words.size()).toArray());
    assertThat(said.code()).as(said.err()).isZero();
    assertThat(directory.resolve("results.xml")).content().contains("<testsuite");
  }

  @Test
  void tellsScriptsWhatItWrote() throws Exception {
    JsonNode document = new JsonMapper().readTree(weir("init", directory, "--json").out());
    List<String> files = new ArrayList<>();
    document.get("files").forEach(file -> files.add(file.asString()));
    assertThat(files)
        .containsExactlyInAnyOrderElementsOf(
            FILES.stream().map(name -> directory.resolve(name).toString()).toList());
    assertThat(document.get("command").toString())
        .isEqualTo("[\"weir\",\"eval\",\"%s\"]".formatted(directory.resolve("task.yaml")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"task.yaml", "data.csv", "ci-example.yml"})
  void nothingIsWrittenWhereAFileExists(String taken) throws Exception {
    Path file = Files.writeString(directory.resolve(taken), "mine");
    Said said = weir("init", directory);
    assertThat(said.code()).isEqualTo(ExitCode.USAGE);
    assertThat(said.err()).contains(file + " already exists; nothing was written");
    assertThat(written(directory)).containsExactly(taken);
    assertThat(file).hasContent("mine");
  }

  @Test
  void aFileIsNoDirectory() throws Exception {
    Path file = Files.writeString(directory.resolve("file"), "mine");
    Said said = weir("init", file);
    assertThat(said.code()).isEqualTo(ExitCode.USAGE);
    assertThat(said.err()).contains(file + " is a file; give a directory");
  }
}
