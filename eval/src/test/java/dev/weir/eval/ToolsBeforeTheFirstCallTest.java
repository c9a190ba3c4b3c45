package dev.weir.eval;

import static dev.weir.eval.scorer.Scorers.includes;
import static dev.weir.eval.solver.Solvers.generate;
import static dev.weir.eval.solver.Solvers.react;
import static dev.weir.eval.solver.Solvers.useTools;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.eval.option.Settings;
import dev.weir.eval.solver.Solver;
import dev.weir.eval.solver.Submission;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.eval.task.TaskFile;
import dev.weir.eval.tool.Tools;
import dev.weir.model.ConfigurationException;
import dev.weir.time.Time;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Mistakes with tools and sandboxes are told before anything is asked, and where they stand. */
class ToolsBeforeTheFirstCallTest {

  private static final String SAMPLE = "{id: s, input: q, target: a}";

  @TempDir Path directory;

  private Evaluation prepare(TaskDefinition task, Settings given) {
    return Evaluation.prepare(
        Time.system(),
        List.of(task),
        given.with("model", "sim/x").with("log-dir", directory.resolve("logs")),
        Host.process());
  }

  /** A task whose third line is the sample, and whose steps begin in line five. */
  private TaskDefinition task(String sample, String rest) throws Exception {
    return TaskFile.read(
        Files.writeString(
            directory.resolve("t.yaml"),
            "task: t\ndataset:\n  - %s\nsolver:\n%sscorer: includes\n".formatted(sample, rest)));
  }

  private void refuses(String sample, String rest, String place, String words) {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> prepare(task(sample, rest), Settings.NONE))
        .withMessageStartingWith("%s, %s".formatted(directory.resolve("t.yaml"), place))
        .withMessageContaining(words);
    assertThat(directory.resolve("logs")).doesNotExist();
  }

  // Names.

  @ParameterizedTest
  @CsvSource(
      delimiter = '§',
      quoteCharacter = '~',
      value = {
        "- use_tools: [bash, bash]¶- generate¶ § line 5, column 14: `use_tools`",
        "- use_tools: [bash]¶- use_tools: {tools: [bash], append: true}¶- generate¶"
            + " § line 6, column 3: `solver`",
        "- use_tools: [bash]¶- react: [text_editor, bash]¶ § line 6, column 3: `solver`",
        "- react: [{mcp: {command: [sh], tools: [a.b], sandbox: true}}, {mcp: {command: [sh],"
            + " tools: [a_b], sandbox: true}}]¶ § line 5, column 3: `solver`",
      })
  void twoToolsOfOneName(String steps, String place) {
    refuses(SAMPLE, steps.replace('¶', '\n') + "sandbox: local\n", place, "two tools are called '");
  }

  @Test
  void toolsOfAnEarlierStepThatAreReplacedAreNoSecondOnes() throws Exception {
    String steps =
        """
          - use_tools: [bash]
          - generate
          - use_tools: [bash]
          - generate
          - react: [text_editor]
          - react: [text_editor]
        sandbox: local
        """;
    assertThat(prepare(task(SAMPLE, steps), Settings.NONE)).isNotNull();
  }

  @Test
  void theToolThatSubmits() {
    refuses(
        SAMPLE,
        "  - react: {tools: [bash], submit_name: bash}\nsandbox: local\n",
        "line 5, column 41: `submit_name`",
        "must be another than 'bash', which is a tool");
    refuses(
        SAMPLE,
        "  - react: {submit_name: hand in!}\n",
        "line 5, column 26: `submit_name`",
        "must be 1 to 64 letters, digits, _ or -, was 'hand in!'");
    Solver clash =
        react(Tools.function("done", "", "{\"type\":\"object\"}", _ -> ""))
            .with(Submission.DEFAULT.withName("done"));
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> prepare(made(clash), Settings.NONE))
        .withMessage(
            "task t: a tool is called 'done', as the one is that submits the answer; give that one"
                + " another name with `submit_name`");
  }

  private static TaskDefinition made(Solver... steps) {
    return TaskDefinition.named("t")
        .dataset(new dev.weir.eval.dataset.Sample("1", "q", "a"))
        .solver(steps)
        .scorer(includes())
        .build();
  }

  // Steps.

  @Test
  void toolsThatNobodyIsAskedWith() {
    refuses(
        SAMPLE,
        "  - generate\n  - use_tools: [bash]\nsandbox: local\n",
        "line 6, column 5: `solver`",
        "no step after this one asks the model");
    refuses(
        SAMPLE, "  - system_message: Hi\n", "line 5, column 5: `solver`", "no step asks the model");
    Solver own = (state, context) -> state.generate(context.model());
    assertThat(prepare(made(useTools(), own), Settings.NONE)).isNotNull();
    assertThat(prepare(made(useTools(), generate()), Settings.NONE)).isNotNull();
  }

  @Test
  void anotherUserNeedsAContainer() {
    refuses(
        SAMPLE,
        "  - react: [{python: {user: root}}]\nsandbox: local\n",
        "line 5, column 5: `solver`",
        "a local sandbox cannot run a command as another user ('root')");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '§',
      quoteCharacter = '~',
      value = {
        "bash § 'bash' needs the program bash, ",
        "python § 'python' needs the program python3, ",
        "mcp: {command: [server-of-mine], sandbox: true} § 'mcp' needs the program server-of-mine, "
      })
  void aProgramThatTheSandboxDoesNotHave(String tool, String words) throws Exception {
    String local =
        "  - react: [{%s}]\nsandbox: {type: local, env: {PATH: /nowhere}}\n"
            .formatted(tool.contains(":") ? tool : tool + ": {}");
    refuses(SAMPLE, local, "line 5, column 5: `solver`: the tool ", words);
    assertThat(prepare(task(SAMPLE, local), Settings.NONE.with("no-validate", true))).isNotNull();
  }

  @Test
  void whatOnlyMeansSomethingTogether() {
    refuses(
        SAMPLE,
        "  - react: {submit: false, on_continue: Go on}\n",
        "line 5, column 41: `on_continue`",
        "has no meaning with `submit: false`");
    refuses(
        SAMPLE,
        "  - use_tools: {tools: [], tool_choice: any}\n  - generate\n",
        "line 5, column 41: `tool_choice`",
        "without tools to call");
  }

  @ParameterizedTest
  @CsvSource({"tools: [bash], `solver`: use_tools or react", "files: {a: b}, of `dataset`"})
  void keysThatBelongElsewhere(String key, String where) {
    refuses(SAMPLE, "  - generate\n" + key + "\n", "line 6, column 1", where);
  }

  // MCP servers.

  @ParameterizedTest
  @CsvSource(
      delimiter = '§',
      quoteCharacter = '~',
      value = {
        "[no-such-program-of-mine, x] § there is no program 'no-such-program-of-mine' on the PATH",
        "[./none.sh] § there is no program './none.sh' in ",
        "[.] § there is no program '.' on the PATH",
        "[./t.yaml] § './t.yaml' cannot be executed",
        "sh -c exit § `command` is a list of the program and its arguments: [sh, -c, exit]",
        "[sh, -c, 'echo out of order >&2; exit 3'] § it said: out of order",
      })
  void serversThatDoNotStart(String command, String words) {
    refuses(SAMPLE, mcp(command), "line 5, column 5: `solver`: the MCP server '", words);
  }

  private static String mcp(String command) {
    return "  - use_tools:\n      - mcp: {command: %s}\n  - generate\n".formatted(command);
  }

  @Test
  void serversAreNotStartedIfNobodyWantsThat() throws Exception {
    Path trace = directory.resolve("started");
    TaskDefinition task = task(SAMPLE, mcp("[touch, %s]".formatted(trace)));
    assertThat(prepare(task, Settings.NONE.with("no-validate", true))).isNotNull();
    assertThat(trace).doesNotExist();
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> prepare(task, Settings.NONE));
    assertThat(trace).exists();
  }

  // Files.

  @ParameterizedTest
  @ValueSource(strings = {"files: {a.txt: b}", "setup: echo 1"})
  void whatASampleBringsForASandboxThatThereIsNot(String more) throws Exception {
    String sample = "{id: s, input: q, target: a, %s}".formatted(more);
    refuses(
        sample,
        "  - generate\n",
        "line 3, column 5: sample 's' has `%s` for a sandbox".formatted(more.substring(0, 5)),
        "the task has none; add `sandbox:`");
    assertThat(prepare(task(sample, "  - generate\nsandbox: local\n"), Settings.NONE)).isNotNull();
    assertThat(prepare(task(sample, "  - generate\n"), Settings.NONE.with("no-validate", true)))
        .isNotNull();
  }

  @Test
  void filesThatLeadOut() {
    refuses(
        "{id: s, input: q, target: a, files: {../x: b}}",
        "  - generate\nsandbox: local\n",
        "line 3, column 5: sample 's' has `files` that cannot be put into its sandbox",
        "'../x' leads out of the sandbox");
  }
}
