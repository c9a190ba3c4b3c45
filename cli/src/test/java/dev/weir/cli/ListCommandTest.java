package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.scorer.Scorers;
import dev.weir.eval.solver.Solvers;
import dev.weir.eval.tool.Tools;
import dev.weir.model.price.PriceTable;
import dev.weir.simulator.server.Profile;
import dev.weir.time.Time;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ListCommandTest {

  @TempDir Path directory;

  private record Said(int code, String out, String err) {}

  private Said weir(String... words) {
    return weir(Map.of(), false, words);
  }

  private Said weir(Map<String, String> environment, boolean terminal, String... words) {
    var out = new StringWriter();
    var err = new StringWriter();
    int code =
        Weir.run(
            new Surroundings(
                Time.system(),
                new PrintWriter(out),
                new PrintWriter(err),
                environment,
                Optional.empty(),
                terminal,
                () -> new Screen.Fixed(60, 24)),
            words);
    String place = directory.toString();
    return new Said(code, out.toString().replace(place, "…"), err.toString().replace(place, "…"));
  }

  @BeforeEach
  void writeTasks() throws Exception {
    Files.writeString(
        directory.resolve("capitals.yaml"),
        """
        task: capitals
        dataset: [{input: Capital of Italy?, target: Rome}, {input: Capital of Peru?, target: Lima}]
        solver: [generate]
        scorer: includes
        """);
    Files.writeString(
        directory.resolve("Sums.java"),
        """
        import static dev.weir.eval.scorer.Scorers.*;
        import static dev.weir.eval.solver.Solvers.*;
        import dev.weir.eval.dataset.Sample;
        import dev.weir.eval.task.*;

        class Sums {
          @EvalTask(name = "sums of two")
          static TaskDefinition.Builder sums() {
            return TaskDefinition.named("sums")
                .dataset(new Sample("1", "1 + 1", "2")).solver(generate()).scorer(includes());
          }

          @EvalTask
          static TaskDefinition.Builder longer(int terms, String sign) {
            throw new IllegalStateException("it is not to be called");
          }
        }
        """);
  }

  @Test
  void listsWhatWeirEvalTakes() {
    Said said = weir("list", "tasks", directory.toString());
    assertThat(said.err()).isEmpty();
    assertThat(said.code()).isZero();
    assertThat(said.out())
        .isEqualToNormalizingNewlines(
            """
            sums of two  …/Sums.java@sums    java  1 sample
            longer       …/Sums.java@longer  java  needs -T terms=… -T sign=…
            capitals     …/capitals.yaml     yaml  2 samples
            """);
  }

  @Test
  void aNarrowTerminalHasWhatWeirEvalTakesOnItsOwnLine() throws Exception {
    Path folder = Files.createDirectories(directory.resolve("a/folder/of/tasks/deep/down/there"));
    String named = "task: %s\ndataset: [{input: a, target: b}]\nsolver: generate\nscorer: exact\n";
    Files.writeString(folder.resolve("short.yaml"), named.formatted("short"));
    Files.writeString(
        folder.resolve("long.yaml"),
        named.formatted("a task whose name is so long that nobody would type it again"));
    String narrow =
        """
        a task whose name is so long that nobody wo…  yaml  1 sample
          …/a/folder/of/tasks/deep/down/there/long.yaml
        short                                         yaml  1 sample
          …/a/folder/of/tasks/deep/down/there/short.yaml
        """;
    assertThat(weir(Map.of(), true, "list", "tasks", folder.toString()).out())
        .isEqualToNormalizingNewlines(narrow);
    assertThat(weir(Map.of("COLUMNS", "60"), false, "list", "tasks", folder.toString()).out())
        .as("without a terminal, as the variable says")
        .isEqualToNormalizingNewlines(narrow);
    assertThat(weir(Map.of("COLUMNS", "wide"), false, "list", "tasks", folder.toString()).out())
        .as("and else as wide as it is")
        .hasLineCount(2);
    assertThat(weir(Map.of(), true, "list", "tasks", folder.toString(), "--json").out())
        .contains("nobody would type it again")
        .hasLineCount(2);
  }

  @Test
  void listsForScripts() {
    Said said = weir("list", "tasks", directory.resolve("Sums.java").toString(), "--json");
    List<JsonNode> documents = said.out().lines().map(new JsonMapper()::readTree).toList();
    assertThat(documents).hasSize(2);
    assertThat(documents.get(0).toString())
        .isEqualTo(
            "{\"name\":\"sums of"
                + " two\",\"spec\":\"…/Sums.java@sums\",\"kind\":\"java\",\"samples\":1,"
                + "\"parameters\":[]}");
    assertThat(documents.get(1).get("parameters").toString()).isEqualTo("[\"terms\",\"sign\"]");
    assertThat(documents.get(1).has("samples")).isFalse();
  }

  @Test
  void eachTaskOfAConfigurationHasASpecOfItsOwn() throws Exception {
    Path file =
        Files.writeString(
            directory.resolve("promptfooconfig.yaml"),
            """
            description: pf
            prompts: [hi]
            providers: [echo, {id: echo, label: it's other}]
            tests: [{}]
            """);
    assertThat(weir("list", "tasks", file.toString()).out())
        .isEqualToNormalizingNewlines(
            """
            pf: echo        '…/promptfooconfig.yaml@pf: echo'           promptfoo  1 sample
            pf: it's other  '…/promptfooconfig.yaml@pf: it'\\''s other'  promptfoo  1 sample
            """);
    String chosen = file + "@pf: it's other";
    assertThat(weir("list", "tasks", chosen, "--json").out())
        .contains("\"spec\":\"…/promptfooconfig.yaml@pf: it's other\"")
        .hasLineCount(1);
  }

  @Test
  void whatCannotBeReadHidesNothingElse() throws Exception {
    Files.writeString(directory.resolve("Broken.java"), "class Broken { @EvalTask }");
    Files.writeString(directory.resolve("typo.yaml"), "task: typo\nsolvr: generate\n");
    Said said = weir("list", "tasks", directory.toString(), "no/such/place.yaml");
    assertThat(said.code()).isEqualTo(ExitCode.USAGE);
    assertThat(said.out().lines()).hasSize(3);
    assertThat(said.err())
        .contains("weir: …/Broken.java, line 1, column 26: ")
        .contains("weir: …/typo.yaml, line 2, column 1: unknown key 'solvr'")
        .contains("weir: no/such/place.yaml: there is no such file");
  }

  private static List<String> registered(String kind) {
    return switch (kind) {
      case "scorers" -> List.copyOf(Scorers.names());
      case "solvers" -> List.copyOf(Solvers.names());
      case "tools" -> List.copyOf(Tools.names());
      case "models" -> List.copyOf(PriceTable.builtIn().all().keySet());
      default -> Profile.all().stream().map(Profile::name).toList();
    };
  }

  @ParameterizedTest
  @ValueSource(strings = {"scorers", "solvers", "tools", "models", "profiles"})
  void listsEverythingThatIsRegistered(String kind) {
    List<String> names = registered(kind);
    assertThat(names).hasSizeGreaterThan(3);
    Said said = weir("list", kind);
    assertThat(said.code()).as(said.err()).isZero();
    assertThat(said.out().lines().map(line -> line.split(" ", 2)[0])).containsAll(names);
    Said json = weir("list", kind, "--json");
    String key = kind.equals("profiles") ? "profile" : "name";
    assertThat(json.out().lines().map(new JsonMapper()::readTree).map(it -> it.get(key).asString()))
        .containsExactlyElementsOf(names);
  }

  @Test
  void describesTheArgumentsOfAComponent() {
    Said said = weir("list", "scorers", "match");
    assertThat(said.out().lines().toList())
        .first()
        .asString()
        .startsWith("match  Right if the output ends");
    assertThat(said.out()).contains("\n  location     Where the target stands: begin, end, any");
    JsonNode document =
        new JsonMapper().readTree(weir("list", "scorers", "pattern", "--json").out());
    assertThat(document.get("parameters").get(0).get("name").asString()).isEqualTo("pattern");
    assertThat(document.get("parameters").get(0).get("required").asBoolean()).isTrue();
    Said unknown = weir("list", "solvers", "generat");
    assertThat(unknown.code()).isEqualTo(ExitCode.USAGE);
    assertThat(unknown.err()).contains("there is no solver 'generat'; did you mean 'generate'?");
    assertThat(weir(Map.of("COLUMNS", "60"), false, "list", "scorers").out().lines())
        .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(60));
  }

  @Test
  void modelsOfYourOwnPriceFileAreListed() throws Exception {
    Path file =
        Files.writeString(
            directory.resolve("prices.json"),
            """
            {"prices": [{"models": ["acme/m"], "input": 1.5, "output": 2, "as_of": "2026-11-01", "source": "acme"}]}
            """);
    Said said = weir(Map.of("WEIR_PRICES", file.toString()), false, "list", "models");
    assertThat(said.out()).containsPattern("acme/m +1.5 +2 +– +2026-11-01");
  }

  @Test
  void aPlaceMustBeNamed() {
    Said said = weir("list", "tasks");
    assertThat(said.code()).isEqualTo(ExitCode.USAGE);
    assertThat(said.err()).contains("no PATH is given");
    assertThat(weir("list").code()).isEqualTo(ExitCode.USAGE);
  }
}
