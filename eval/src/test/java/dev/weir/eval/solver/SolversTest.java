package dev.weir.eval.solver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.eval.component.Arguments;
import dev.weir.eval.component.Component;
import dev.weir.eval.component.Parameter;
import dev.weir.eval.component.Parameter.Kind;
import dev.weir.eval.sample.EvalTool;
import dev.weir.eval.sample.SampleLimits;
import dev.weir.eval.sample.ToolSource;
import dev.weir.eval.task.TaskFile;
import dev.weir.model.ConfigurationException;
import dev.weir.model.GenerationSettings;
import dev.weir.model.ReasoningEffort;
import dev.weir.model.Tool;
import dev.weir.model.ToolChoice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Solvers as a task names them. */
class SolversTest {

  @TempDir Path directory;

  private static Solver make(String name, Map<String, Object> arguments) {
    return Solvers.find(name).orElseThrow().make(Arguments.of(arguments));
  }

  private static void assertWrong(String name, Map<String, Object> arguments, String... message) {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> make(name, arguments))
        .satisfies(thrown -> assertThat(thrown.getMessage()).contains(message));
  }

  @Test
  void allAreNamed() {
    assertThat(Solvers.names())
        .containsExactly(
            "assistant_message",
            "chain_of_thought",
            "generate",
            "multiple_choice",
            "prompt_template",
            "react",
            "self_critique",
            "system_message",
            "use_tools",
            "user_message");
    assertThat(Solvers.all()).extracting(Component::description).allMatch(d -> d.endsWith("."));
  }

  @Test
  void argumentsSayHowAnswersAreMade() {
    Map<String, Object> given =
        Map.of(
            "tool_calls",
            "single",
            "max_tool_output",
            100,
            "temperature",
            0.5,
            "top_p",
            0.9,
            "max_tokens",
            20,
            "seed",
            3,
            "stop_seqs",
            List.of("x", "y"),
            "reasoning_effort",
            "low");
    GenerationSettings settings =
        GenerationSettings.NONE
            .withTemperature(0.5)
            .withTopP(0.9)
            .withMaxTokens(20)
            .withSeed(3)
            .withStop(List.of("x", "y"))
            .withReasoningEffort(ReasoningEffort.LOW);
    assertThat(make("generate", given))
        .isEqualTo(new Generate(Generate.ToolCalls.SINGLE, settings, new ToolLoop(100)));
    assertThat(make("generate", Map.of())).isEqualTo(Solvers.generate());
    assertWrong("generate", Map.of("tool_calls", "sinlge"), "did you mean 'single'?");
    assertWrong("generate", Map.of("temperature", 3), "from 0.0 to 2.0");
    assertWrong("generate", Map.of("reasoning_effort", "hihg"), "did you mean 'high'?");
  }

  @Test
  void argumentsShapeAnAgent() {
    Map<String, Object> given =
        Map.of(
            "prompt", "Do it.",
            "submit_name", "finish",
            "submit_description", "Ends it.",
            "attempts", 3,
            "incorrect_message", "No.",
            "on_continue", "Go on.",
            "continues", 2,
            "truncation", "disabled",
            "message_limit", 30,
            "turn_limit", 10);
    assertSame(
        make("react", given),
        Solvers.react()
            .withPrompt("Do it.")
            .with(
                Submission.DEFAULT
                    .withName("finish")
                    .withDescription("Ends it.")
                    .withAttempts(3)
                    .withIncorrectMessage("No."))
            .withContinue("Go on.", 2)
            .withoutTruncation()
            .with(SampleLimits.ofTurns(10).withMessages(30)));
    assertSame(make("react", Map.of()), Solvers.react());
    assertSame(
        make("react", Map.of("submit", false, "token_limit", "5k", "max_tool_output", 9)),
        Solvers.react()
            .withoutSubmission()
            .with(SampleLimits.ofTokens("5k").withTurns(1_000))
            .with(new ToolLoop(9)));
  }

  /** The same agent, but for where its texts stand. */
  private static void assertSame(Solver made, React expected) {
    assertThat(made)
        .usingRecursiveComparison()
        .ignoringFieldsMatchingRegexes(".*place")
        .isEqualTo(expected);
  }

  @Test
  void argumentsOfAnAgentThatCannotBeUsedAreTold() {
    assertWrong("react", Map.of("attempts", 0), "`attempts` must be a whole number, at least 1");
    assertWrong("react", Map.of("submit", false, "attempts", 2), "`attempts` has no meaning");
    assertWrong("react", Map.of("submit_name", " "), "`submit_name` must be 1 to 64 letters");
    assertWrong("react", Map.of("truncation", "atuo"), "did you mean 'auto'?");
    assertWrong("react", Map.of("token_limit", "many"), "`token_limit` cannot be used");
    assertWrong(
        "react",
        Map.of("on_continue", "{submit}!"),
        "`on_continue` must have {{ submit }} instead of {submit}");
    assertWrong("react", Map.of("tools", List.of("no_such")), "`tools` names 'no_such'");
  }

  private static final Component<ToolSource> SHELL =
      new Component<>(
          "shell",
          "A test tool.",
          List.of(Parameter.optional("timeout", Kind.WHOLE, "seconds")),
          arguments -> FakeTool.giving("shell" + arguments.whole("timeout", 1).orElse(0), "done"));

  private static List<String> tools(Object given) {
    return ToolList.read(
            Arguments.of(Map.of("tools", given)),
            name -> Optional.of(SHELL).filter(tool -> tool.name().equals(name)),
            Set.of("shell"))
        .stream()
        .map(tool -> ((EvalTool) tool).definition().name())
        .toList();
  }

  private static void assertWrongTools(Object given, String message) {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> tools(given))
        .withMessageContaining(message);
  }

  @Test
  void toolsAreNamedWithTheirArguments() {
    assertThat(tools("shell")).containsExactly("shell0");
    assertThat(tools(List.of("shell", Map.of("shell", 5), Map.of("shell", Map.of("timeout", 7)))))
        .containsExactly("shell0", "shell5", "shell7");
    assertWrongTools(List.of("shel"), "names 'shel', which is no tool; did you mean 'shell'?");
    assertWrongTools(List.of("shell", "shell"), "two tools are called 'shell0'");
    assertWrongTools(
        List.of(Map.of("shell", Map.of("timeot", 7))),
        "`tools` is wrong: `timeot` of 'shell' is not an argument of 'shell'; did you mean");
    assertWrongTools(List.of(Map.of("shell", 0)), "`timeout` of 'shell' must be a whole number");
    assertWrongTools(List.of(List.of("shell")), "must be a list of names");
  }

  @Test
  void aChoiceOfToolsIsOneOfThem() {
    assertWrong("use_tools", Map.of(), "`tools` is missing");
    assertWrong(
        "use_tools",
        Map.of("tools", List.of(), "tool_choice", "atuo"),
        "is no tool of this step: 'atuo'; did you mean 'auto'?");
  }

  @Test
  void templatesKnowTheVariablesOfTheTask() throws Exception {
    Arguments arguments =
        new Arguments(
            Map.of("template", "{{ prompt }} Answer in {{ language }}."),
            Path.of(""),
            (name, rule) -> new ConfigurationException(name + rule),
            Map.of("language", "French", "prompt", "of no use"));
    var run = new ScriptedRun().says("Paris");
    run.run(Solvers.find("prompt_template").orElseThrow().make(arguments), Solvers.generate());
    assertThat(run.lastSeen())
        .containsExactly("User: What is the capital of France? Answer in French.");
  }

  @Test
  void aServerMayHaveSeveralTools() throws Exception {
    ToolSource server =
        context ->
            List.of(
                FakeTool.giving("look", "x"), FakeTool.giving("at" + context.time().nanos(), "y"));
    var run = new ScriptedRun().says("Paris");
    run.run(
        Solvers.useTools(new ToolChoice.Named("look"), server, FakeTool.giving("search", "z")),
        Solvers.generate());
    assertThat(run.asked().getFirst().tools())
        .extracting(Tool::name)
        .containsExactly("look", "at0", "search");

    var none = new ScriptedRun();
    assertThat(
            none.run(Solvers.useTools(new ToolChoice.Named("loook"), server)).error().orElseThrow())
        .contains("must call 'loook'", "did you mean 'look'?");
    var twice = new ScriptedRun();
    assertThat(twice.run(Solvers.useTools(server, server)).error().orElseThrow())
        .contains("two tools are called 'look'");
  }

  @Test
  void aTemplateThatCannotBeUsedIsToldWithItsPlace() throws IOException {
    Path file =
        Files.writeString(
            directory.resolve("task.yaml"),
            """
            task: t
            dataset: [{input: a, target: b}]
            solver:
              - prompt_template: "Q: {prompt}"
              - generate
            scorer: includes
            """);
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> TaskFile.read(file))
        .withMessageContaining("line 4")
        .withMessageContaining("`prompt_template` must have {{ prompt }} instead of {prompt}");
  }
}
