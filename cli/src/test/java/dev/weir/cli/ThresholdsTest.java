package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.log.RunLogReader;
import dev.weir.log.RunResult;
import dev.weir.log.SampleResult;
import dev.weir.time.virtual.VirtualTime;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.transform.dom.DOMSource;
import javax.xml.validation.SchemaFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What continuous integration asks for: thresholds, and JUnit files. */
class ThresholdsTest {

  @TempDir Path directory;
  private Path task = Path.of("");

  private record Said(int code, String out, String err) {}

  private Said eval(Object... words) throws Exception {
    var out = new StringWriter();
    var err = new StringWriter();
    VirtualTime time = VirtualTime.seeded(1);
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "eval",
                task.toString(),
                "--seed",
                "7",
                "--log-dir",
                directory.resolve("logs").toString()));
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

  @BeforeEach
  void writeTask() throws Exception {
    StringBuilder samples = new StringBuilder();
    for (int i = 1; i <= 40; i++) {
      samples.append("  - {id: q%d, input: 'Question %d?', target: answer%d}%n".formatted(i, i, i));
    }
    task = write("model: \"sim/x:accuracy=0.6,rpm=0\"\nscorer: includes\n", samples.toString());
  }

  private Path write(String settings, String samples) throws Exception {
    return Files.writeString(
        directory.resolve("task.yaml"),
        "task: questions\nsolver: generate\n" + settings + "dataset:\n" + samples);
  }

  @Test
  void belowAThresholdTheCommandFails() throws Exception {
    Said missed = eval("--threshold", "accuracy=0.95");
    assertThat(missed.code()).isEqualTo(ExitCode.FAILED);
    assertThat(missed.err())
        .containsPattern("weir: threshold missed: accuracy is 0\\.\\d+, below 0\\.95")
        .contains("(questions on sim/x");
    assertThat(missed.out()).as("the result is shown, too").contains("Log: ");
    assertThat(eval("--threshold", "accuracy=0.3").code()).isZero();
    assertThat(eval("--threshold", "accuracy=0.3", "--threshold", "includes/accuracy=1").code())
        .isEqualTo(ExitCode.FAILED);
  }

  @Test
  void noNumberIsNoThreshold() throws Exception {
    for (String word : List.of("NaN", "Infinity", "much")) {
      Said said = eval("--threshold", "accuracy=" + word);
      assertThat(said.code()).isEqualTo(ExitCode.USAGE);
      assertThat(said.err()).contains("threshold").contains("accuracy=" + word);
    }
    assertThat(directory.resolve("logs")).doesNotExist();
  }

  @Test
  void scriptsReadWhichWereMissed() throws Exception {
    Said said = eval("--threshold", "accuracy=0.95", "--json");
    assertThat(said.code()).isEqualTo(ExitCode.FAILED);
    JsonNode result = new JsonMapper().readTree(said.out());
    JsonNode accuracy = result.get("metrics").get("accuracy");
    assertThat(result.get("thresholds").get(0).toString())
        .isEqualTo(
            "{\"metric\":\"accuracy\",\"required\":0.95,\"value\":%s,\"passed\":false}"
                .formatted(accuracy));
    assertThat(new JsonMapper().readTree(eval("--json").out()).get("thresholds")).isEmpty();
  }

  @Test
  void aRunThatWasFinishedIsNotSaidToHaveEndedEarly() throws Exception {
    Said said =
        eval(
            "-M",
            "error-rate=0.999",
            "--max-retries",
            0,
            "--fail-on-error=0.1",
            "--continue-on-fail");
    assertThat(said.code()).isEqualTo(ExitCode.FAILED);
    assertThat(said.out())
        .contains("The run failed: ", " of 40 samples failed, and fail_on_error is 0.1.")
        .doesNotContain("ended early", "not finished");
  }

  @Test
  void aMetricThatCannotBeThereIsToldAtOnce() throws Exception {
    Said said = eval("--threshold", "acuracy=0.5");
    assertThat(said.code()).isEqualTo(ExitCode.USAGE);
    assertThat(said.err())
        .contains("--threshold: there is no metric 'acuracy'; did you mean 'accuracy'?");
    assertThat(directory.resolve("logs")).doesNotExist();
    assertThat(eval("--threshold", "exact/accuracy=0.5").err())
        .contains("there is no metric 'exact/accuracy'");
  }

  @Test
  void groupsAreKnownBeforeTheRunToo() throws Exception {
    task =
        write(
            """
            model: "sim/x:accuracy=1,rpm=0"
            scorer: [includes, exact: {}]
            metrics: [accuracy, grouped: {metric: mean, group_key: k}]
            """,
            "  - {input: one, target: one, metadata: {k: a}}\n"
                + "  - {input: two, target: two, metadata: {k: b}}\n");
    for (String wrong :
        List.of("accurcy", "mean[k=c]", "mean[k missing]", "exact/accurcy", "other/accuracy")) {
      Said said = eval("--threshold", "{\"%s\": 0.5}".formatted(wrong));
      assertThat(said.code()).isEqualTo(ExitCode.USAGE);
      assertThat(said.err()).contains("--threshold: there is no metric '%s'".formatted(wrong));
    }
    assertThat(eval("--threshold", "accurcy=0.5").err()).contains("did you mean 'accuracy'?");
    assertThat(directory.resolve("logs")).doesNotExist();
    for (String right : List.of("mean", "mean[k=a]", "includes/mean[k=b]")) {
      assertThat(eval("--threshold", "{\"%s\": 0}".formatted(right)).code()).as(right).isZero();
    }
  }

  @Test
  void whereNothingIsScoredNoThresholdIsReached() throws Exception {
    Said said =
        eval(
            "--threshold",
            "accuracy=0",
            "-M",
            "error-rate=0.999",
            "--limit",
            6,
            "--max-retries",
            0,
            "--fail-on-error=false",
            "--max-connections",
            2);
    assertThat(said.code()).isEqualTo(ExitCode.FAILED);
    assertThat(said.err()).contains("accuracy is not known, since no sample was scored");
    assertThat(said.out())
        .contains("6 samples failed", "  q1, q2, q3, q4, q5: ", "  and 1 more, in the log");
  }

  @Test
  void failedSamplesMayCount() throws Exception {
    Object[] half = {
      "-M",
      "accuracy=1,error-rate=0.5",
      "--max-retries",
      0,
      "--fail-on-error=false",
      "--threshold",
      "accuracy=1"
    };
    assertThat(eval(half).code()).as("over those that were scored").isZero();
    Said all = eval(and(half, "--threshold", "accuracy_over_all=0.8"));
    assertThat(all.code()).isEqualTo(ExitCode.FAILED);
    assertThat(all.err())
        .containsPattern("threshold missed: accuracy_over_all is 0\\.\\d+, below 0\\.8");
    assertThat(eval(and(half, "--threshold", "accuracy_over_all=0.1")).code()).isZero();
  }

  private static Object[] and(Object[] words, Object... more) {
    return Stream.concat(Arrays.stream(words), Arrays.stream(more)).toArray();
  }

  @Test
  void aRunThatWasNotFinishedReachesNoThreshold() throws Exception {
    Said stopped =
        eval(
            "-M",
            "accuracy=1",
            "--max-connections",
            2,
            "--max-tokens-total",
            20,
            "--threshold",
            "accuracy=0");
    assertThat(stopped.code()).isEqualTo(ExitCode.FAILED);
    assertThat(stopped.err())
        .containsPattern("accuracy is 1\\.000, but \\d+ of 40 samples were not finished");
    Path file = directory.resolve("junit.xml");
    Said failed =
        eval(
            "-M",
            "accuracy=1,error-rate=0.3",
            "--max-retries",
            0,
            "--continue-on-fail",
            "--junit",
            file,
            "--threshold",
            "accuracy_over_all=0");
    assertThat(failed.code()).isEqualTo(ExitCode.FAILED);
    assertThat(failed.err()).contains(", but the run failed");
    assertThat(children(parse(file).getDocumentElement(), "failure"))
        .extracting(failure -> failure.getAttribute("type"))
        .containsExactly("threshold");
  }

  /** A failed sample that is scored: counted as failed everywhere, its score told in each. */
  @Test
  void whatIsScoredOfFailedSamplesIsToldTheSameEverywhere() throws Exception {
    task =
        write(
            "model: sim/x\nscorer: includes\nscore_on_error: true\nfail_on_error: false\n",
            "  - {id: good, input: 'Say yes', target: 'yes', metadata: {broken: false}}\n"
                + "  - {id: bad, input: 'Say no', target: 'no', metadata: {broken: true}}\n");
    Files.writeString(
        directory.resolve("task.yaml"),
        Files.readString(task)
            .replace(
                "solver: generate",
                "solver: [generate, {prompt_template: {template: '{{ prompt }}{% if broken %}{{"
                    + " missing.thing }}{% endif %}'}}]"));
    Path file = directory.resolve("junit.xml");
    Said said = eval("-M", "accuracy=1,rpm=0", "--junit", file, "--no-validate");
    assertThat(said.out()).contains("1 sample failed", "1.000");
    Document document = parse(file);
    requireUsualForm(document);
    assertThat(children(document.getDocumentElement(), "error")).hasSize(1);
    assertThat(children(document.getDocumentElement(), "system-out"))
        .extracting(Element::getTextContent)
        .containsExactly("score: 1.000", "score: 1.000");
    Path log;
    try (var files = Files.list(directory.resolve("logs"))) {
      log = files.findFirst().orElseThrow();
    }
    try (var reader = RunLogReader.open(log)) {
      List<SampleResult> samples = new ArrayList<>();
      for (var sample = reader.sample(); sample.isPresent(); sample = reader.sample()) {
        samples.add(sample.get());
      }
      assertThat(samples).hasSize(2).allMatch(sample -> sample.score().orElseThrow() == 1);
      assertThat(samples).filteredOn(sample -> sample.error().isPresent()).hasSize(1);
      assertThat(reader.end().orElseThrow().samples()).isEqualTo(new RunResult.Counts(2, 1, 1, 0));
      assertThat(reader.end().orElseThrow().accuracyOverAll()).contains(0.5);
    }
  }

  private static Document parse(Path file) throws Exception {
    return DocumentBuilderFactory.newDefaultInstance().newDocumentBuilder().parse(file.toFile());
  }

  /** The rules that readers of such files agree on. */
  private static void requireUsualForm(Document document) throws Exception {
    SchemaFactory.newDefaultInstance()
        .newSchema(ThresholdsTest.class.getResource("/junit-report.xsd"))
        .newValidator()
        .validate(new DOMSource(document));
    assertThat(document.getDocumentElement().getTagName()).isEqualTo("testsuites");
    for (Element suite : children(document.getDocumentElement(), "testsuite")) {
      List<Element> cases = children(suite, "testcase");
      assertThat(suite.getAttribute("name")).isNotBlank();
      assertThat(suite.getAttribute("tests")).isEqualTo(String.valueOf(cases.size()));
      for (String kind : List.of("failure", "error")) {
        assertThat(suite.getAttribute(kind + "s"))
            .isEqualTo(String.valueOf(suite.getElementsByTagName(kind).getLength()));
      }
      assertThat(suite.getAttribute("skipped"))
          .isEqualTo(String.valueOf(suite.getElementsByTagName("skipped").getLength()));
      assertThat(Double.parseDouble(suite.getAttribute("time"))).isNotNegative();
      for (Element one : cases) {
        assertThat(one.getAttribute("name")).isNotBlank();
        assertThat(one.getAttribute("classname")).isNotBlank();
        assertThat(Double.parseDouble(one.getAttribute("time"))).isNotNegative();
        assertThat(
                one.getElementsByTagName("failure").getLength()
                    + one.getElementsByTagName("error").getLength()
                    + one.getElementsByTagName("skipped").getLength())
            .isLessThanOrEqualTo(1);
      }
    }
  }

  private static List<Element> children(Element parent, String name) {
    NodeList found = parent.getElementsByTagName(name);
    List<Element> elements = new ArrayList<>();
    for (int i = 0; i < found.getLength(); i++) {
      elements.add((Element) found.item(i));
    }
    return elements;
  }

  @Test
  void withoutThresholdsEachWrongSampleIsAFailure() throws Exception {
    Path file = directory.resolve("reports/junit.xml");
    assertThat(eval("--junit", file, "--epochs", 2).code()).isZero();
    Document document = parse(file);
    requireUsualForm(document);
    List<Element> cases = children(document.getDocumentElement(), "testcase");
    assertThat(cases).hasSize(80);
    assertThat(cases)
        .extracting(one -> one.getAttribute("name"))
        .contains("q1 (epoch 1)", "q40 (epoch 2)");
    List<Element> failures = children(document.getDocumentElement(), "failure");
    assertThat(failures).hasSizeBetween(15, 50);
    assertThat(failures.getFirst().getAttribute("message")).isEqualTo("scored 0.000");
    assertThat(failures.getFirst().getTextContent())
        .contains("expected: answer", "input: Question");
  }

  /** Who reads the file alone sees which samples are missing. */
  @Test
  void aRunThatEndsEarlyHasAllItsSamples() throws Exception {
    Path file = directory.resolve("junit.xml");
    eval("--junit", file, "--epochs", 2, "--max-connections", 2, "--max-tokens-total", 200);
    Document document = parse(file);
    requireUsualForm(document);
    List<String> samples =
        children(document.getDocumentElement(), "testcase").stream()
            .map(one -> one.getAttribute("name"))
            .filter(name -> !name.equals("the run"))
            .toList();
    assertThat(samples)
        .hasSize(80)
        .doesNotHaveDuplicates()
        .contains("q1 (epoch 1)", "q40 (epoch 2)");
    assertThat(children(document.getDocumentElement(), "failure"))
        .as("what was finished is told as ever")
        .isNotEmpty()
        .allSatisfy(failure -> assertThat(failure.getTextContent()).contains("expected: answer"));
    assertThat(children(document.getDocumentElement(), "skipped"))
        .hasSizeGreaterThan(40)
        .extracting(one -> one.getAttribute("message"))
        .contains("not begun: the run ended before its turn");
  }

  @Test
  void withThresholdsTheyDecide() throws Exception {
    Path file = directory.resolve("junit.xml");
    Files.writeString(file, "what was there before, and was longer ".repeat(10_000));
    Said said =
        eval(
            "--junit",
            file,
            "--threshold",
            "accuracy=0.3",
            "--threshold",
            "accuracy_over_all=0.9",
            "--model",
            "sim/a:accuracy=0.6,rpm=0,sim/b:accuracy=0,rpm=0");
    assertThat(said.code()).isEqualTo(ExitCode.FAILED);
    Document document = parse(file);
    requireUsualForm(document);
    assertThat(children(document.getDocumentElement(), "testsuite")).hasSize(2);
    assertThat(children(document.getDocumentElement(), "failure"))
        .extracting(failure -> failure.getAttribute("type"))
        .containsExactly("threshold", "threshold", "threshold");
    assertThat(children(document.getDocumentElement(), "testcase"))
        .hasSize(84)
        .extracting(one -> one.getAttribute("name"))
        .contains("threshold accuracy >= 0.3", "threshold accuracy_over_all >= 0.9");
  }

  @Test
  void failedSamplesAreErrorsAndNothingBreaksTheFile() throws Exception {
    task =
        write(
            "model: \"sim/x:accuracy=0,rpm=0,error-rate=0.5\"\nscorer: includes\n",
            "  - {id: \"a\\e[2J\\0<&]]>\", input: \"x\\x01 \\uD800 <b> ]]>%s\", target: \"]]>&\"}\n"
                    .formatted("long ".repeat(100_000))
                + "  - {id: b, input: y, target: z}\n".repeat(1));
    Path file = directory.resolve("junit.xml");
    eval("--junit", file, "--epochs", 20, "--max-retries", 0, "--fail-on-error=false");
    Document document = parse(file);
    requireUsualForm(document);
    assertThat(Files.size(file)).as("texts are cut").isLessThan(200_000);
    assertThat(children(document.getDocumentElement(), "error")).isNotEmpty();
    assertThat(children(document.getDocumentElement(), "testcase"))
        .hasSize(40)
        .extracting(one -> one.getAttribute("name"))
        .anyMatch(name -> name.startsWith("a�[2J"));
  }

  @Test
  void aFileThatCannotBeWrittenIsToldBeforeTheFirstCall() throws Exception {
    Said said = eval("--junit", directory);
    assertThat(said.code()).isEqualTo(ExitCode.USAGE);
    assertThat(said.err())
        .contains("--junit: " + directory + " cannot be written (it is a directory)");
    assertThat(said.out()).isEmpty();
  }

  @Test
  void severalRunsAreOneTableAndOneDocument() throws Exception {
    Said said = eval("--model", "sim/a:accuracy=1,rpm=0,sim/b:accuracy=0,rpm=0");
    assertThat(said.out())
        .contains(
            "questions  sim/a", "1.000 [0.912, 1.000]", "questions  sim/b", "0.000 [0.000, 0.088]")
        .containsSubsequence(
            "questions on sim/a:accuracy=1,rpm=0" + System.lineSeparator() + "  Limited by: ",
            "  Time of all samples:");
    assertThat(eval("--json", "--model", "sim/a:rpm=0,sim/b:rpm=0").out()).startsWith("[{");
  }
}
