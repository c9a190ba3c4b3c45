package dev.weir.eval.solver;

import static dev.weir.eval.component.Parameter.Kind.TEXT;
import static dev.weir.eval.component.Parameter.Kind.WHOLE;

import dev.weir.eval.component.Arguments;
import dev.weir.eval.component.Component;
import dev.weir.eval.component.Parameter;
import dev.weir.eval.sample.EvalTool;
import dev.weir.eval.sample.Generator;
import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sample.SampleLimits;
import dev.weir.eval.sample.SampleState;
import dev.weir.model.GenerationSettings;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.Spelling;
import dev.weir.model.ToolChoice;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * Asks the model, runs the tools it calls, and asks again until it calls none.
 *
 * @param toolCalls what is done about calls of tools
 * @param settings how answers are made; they win over those of the run
 * @param tools runs them
 */
public record Generate(ToolCalls toolCalls, GenerationSettings settings, ToolLoop tools)
    implements Solver {

  static final Generate DEFAULT =
      new Generate(ToolCalls.LOOP, GenerationSettings.NONE, ToolLoop.DEFAULT);

  static final Parameter MAX_TOOL_OUTPUT =
      Parameter.optional(
          "max_tool_output",
          WHOLE,
          "bytes that a tool may give back, 16384 if not given; the middle of more is cut out;"
              + " 0 cuts nothing");

  /** What is done about calls of tools. */
  public enum ToolCalls {
    /** They are run, and the model is asked again, until it calls none. */
    LOOP,
    /** They are run, and the model is not asked again. */
    SINGLE,
    /** They are left alone. */
    NONE;

    /** As it is written: {@code loop}. */
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  static Component<Solver> component() {
    return new Component<>(
        "generate",
        "Asks the model, runs the tools it calls, and asks again until it calls none.",
        Stream.concat(
                Stream.of(
                    Parameter.optional(
                        "tool_calls",
                        TEXT,
                        "loop; single: run tools once and do not ask again; none: run no tools"),
                    MAX_TOOL_OUTPUT),
                GenerationArguments.PARAMETERS.stream())
            .toList(),
        Generate::read);
  }

  private static Generate read(Arguments arguments) {
    return new Generate(
        toolCalls(arguments), GenerationArguments.read(arguments), toolLoop(arguments));
  }

  static ToolLoop toolLoop(Arguments arguments) {
    return arguments.whole("max_tool_output", 0).map(ToolLoop::new).orElse(ToolLoop.DEFAULT);
  }

  private static ToolCalls toolCalls(Arguments arguments) {
    String word = arguments.text("tool_calls").orElse(ToolCalls.LOOP.word());
    return Arrays.stream(ToolCalls.values())
        .filter(mode -> mode.word().equals(word))
        .findAny()
        .orElseThrow(
            () ->
                arguments.wrong(
                    "tool_calls",
                    "is unknown: '%s'%s"
                        .formatted(word, Spelling.hint(word, List.of("loop", "single", "none")))));
  }

  public Generate with(ToolCalls mode) {
    return new Generate(mode, settings, tools);
  }

  public Generate with(GenerationSettings changed) {
    return new Generate(toolCalls, changed, tools);
  }

  /**
   * @param bytes 0 if nothing is cut
   */
  public Generate withMaxToolOutput(int bytes) {
    return new Generate(toolCalls, settings, new ToolLoop(bytes));
  }

  @Override
  public void solve(SampleState state, SampleContext context) throws Exception {
    ask(state, context, request -> request);
  }

  @Override
  public void foresee(Foresight task) {
    task.expectAnswer();
  }

  /**
   * @param shaped what else each request says
   */
  void ask(SampleState state, SampleContext context, UnaryOperator<Request> shaped)
      throws Exception {
    if (toolCalls == ToolCalls.LOOP && !state.tools().isEmpty()) {
      context.within(SampleLimits.ofTurns(ToolLoop.MOST_TURNS), () -> loop(state, context, shaped));
    } else {
      askOnce(state, context, shaped);
      if (toolCalls == ToolCalls.SINGLE) {
        tools.run(state, context);
      }
    }
  }

  private boolean loop(SampleState state, SampleContext context, UnaryOperator<Request> shaped)
      throws InterruptedException {
    do {
      askOnce(state, context, shaped);
      if (!tools.run(state, context)) {
        return true;
      }
      if (!(state.toolChoice() instanceof ToolChoice.Auto)) {
        // One that must call a tool each time would never come to an end.
        state.setTools(state.tools(), new ToolChoice.Auto());
      }
    } while (!state.completed());
    return true;
  }

  private void askOnce(SampleState state, SampleContext context, UnaryOperator<Request> shaped)
      throws InterruptedException {
    Generator model = context.model();
    Request request =
        Request.of(state.messages())
            .withTools(
                state.tools().stream().map(EvalTool::definition).toList(), state.toolChoice())
            .with(settings);
    Response.Reply reply = model.generate(shaped.apply(request));
    state.answered(reply);
    model.check();
  }
}
