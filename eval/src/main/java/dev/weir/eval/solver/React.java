package dev.weir.eval.solver;

import static dev.weir.eval.component.Parameter.Kind.FLAG;
import static dev.weir.eval.component.Parameter.Kind.LIST;
import static dev.weir.eval.component.Parameter.Kind.TEXT;
import static dev.weir.eval.component.Parameter.Kind.WHOLE;

import dev.weir.eval.component.Arguments;
import dev.weir.eval.component.Component;
import dev.weir.eval.component.Parameter;
import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sample.SampleLimits;
import dev.weir.eval.sample.SampleState;
import dev.weir.eval.sample.TokenLimit;
import dev.weir.eval.sample.ToolSource;
import dev.weir.eval.template.Template;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Spelling;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * An agent: the model calls tools, sees what they give back, and goes on until it submits an
 * answer, which becomes the output.
 *
 * @param prompt what the model is told at the beginning; nothing if it is blank
 * @param tools what it may call, beside the tools of the state
 * @param submission how it hands in its answer; if absent, a message without a call is the answer
 * @param onContinue what it is told if it calls no tool
 * @param continues how often in a row it is told so before the work ends as it is
 * @param truncates whether the oldest exchanges are left out if the model cannot read all; if not,
 *     that is an error of the sample
 * @param limits of this part of the sample's work
 * @param toolLoop runs the tools
 */
public record React(
    Template prompt,
    List<ToolSource> tools,
    Optional<Submission> submission,
    Template onContinue,
    int continues,
    boolean truncates,
    SampleLimits limits,
    ToolLoop toolLoop)
    implements Solver {

  private static final String PROMPT =
      """
      You work on a task with the tools that you are given. Take one step after the other: think \
      about what to do next, call a tool, look at what it gives back, and go on from there. Nobody \
      answers questions; where something is left open, decide yourself.\
      """;

  private static final String CONTINUE =
      "You called no tool. Go on with the next step; if you are done, call {{ submit }} with your"
          + " final answer.";

  static final React DEFAULT =
      new React(
          prompt(PROMPT),
          List.of(),
          Optional.of(Submission.DEFAULT),
          onContinue(CONTINUE),
          5,
          true,
          SampleLimits.ofTurns(ToolLoop.MOST_TURNS),
          ToolLoop.DEFAULT);

  public React {
    tools = ToolList.checked(tools);
    if (continues < 0) {
      throw new IllegalArgumentException("`continues` must be >= 0, was " + continues);
    }
  }

  static Component<Solver> component() {
    return new Component<>(
        "react",
        "An agent that calls tools until it submits an answer.",
        List.of(
            Parameter.optional(ToolList.NAME, LIST, ToolList.DESCRIPTION),
            Parameter.optional(
                "prompt", TEXT, "what the model is told at the beginning, a template"),
            Parameter.optional(
                "submit",
                FLAG,
                "whether there is a tool to submit the answer with, true if not given; without"
                    + " one, a message that calls no tool is the answer"),
            Parameter.optional("submit_name", TEXT, "of that tool, submit if not given"),
            Parameter.optional("submit_description", TEXT, "of that tool, for the model"),
            Parameter.optional(
                "attempts",
                WHOLE,
                "how often it may submit, 1 if not given; the first scorer judges all but the"
                    + " last"),
            Parameter.optional(
                "incorrect_message", TEXT, "what it is told after a wrong attempt, a template"),
            Parameter.optional(
                "on_continue", TEXT, "what it is told if it calls no tool, a template"),
            Parameter.optional(
                "continues",
                WHOLE,
                "how often in a row it is told so before it ends as it is, 5 if not given"),
            Parameter.optional(
                "truncation",
                TEXT,
                "auto: leave out the oldest exchanges if the model cannot read all; disabled:"
                    + " that is an error"),
            Parameter.optional("turn_limit", WHOLE, "answers of the model, 1000 if not given"),
            Parameter.optional("message_limit", WHOLE, "messages of the conversation"),
            Parameter.optional("token_limit", TEXT, "tokens of this part, such as 500k"),
            Generate.MAX_TOOL_OUTPUT),
        React::read);
  }

  private static React read(Arguments arguments) {
    List<ToolSource> tools = ToolList.read(arguments);
    return new React(
        Prompts.of(arguments, "prompt", PROMPT),
        tools,
        submission(arguments, tools),
        Prompts.of(arguments, "on_continue", CONTINUE),
        arguments.whole("continues", 0).orElse(DEFAULT.continues),
        truncates(arguments),
        limits(arguments),
        Generate.toolLoop(arguments));
  }

  private static Optional<Submission> submission(Arguments arguments, List<ToolSource> tools) {
    if (!arguments.flag("submit").orElse(true)) {
      for (String name :
          List.of(
              "submit_name",
              "submit_description",
              "attempts",
              "incorrect_message",
              "on_continue",
              "continues")) {
        if (arguments.has(name)) {
          throw arguments.wrong(name, "has no meaning with `submit: false`; leave one out");
        }
      }
      return Optional.empty();
    }
    Submission standard = Submission.DEFAULT;
    String name = arguments.text("submit_name").orElse(standard.name());
    if (!Submission.NAME.matcher(name).matches()) {
      throw arguments.wrong(
          "submit_name", "must be " + Submission.NAME_RULE + ", was '%s'".formatted(name));
    }
    if (arguments.has("submit_name") && ToolList.names(ToolList.known(tools)).contains(name)) {
      throw arguments.wrong(
          "submit_name", "must be another than '%s', which is a tool".formatted(name));
    }
    return Optional.of(
        new Submission(
            name,
            arguments.text("submit_description").orElse(standard.description()),
            arguments.whole("attempts", 1).orElse(standard.attempts()),
            arguments.has("incorrect_message")
                ? Prompts.of(arguments, "incorrect_message", "")
                : standard.incorrectMessage()));
  }

  private static boolean truncates(Arguments arguments) {
    String word = arguments.text("truncation").orElse("auto");
    return switch (word) {
      case "auto" -> true;
      case "disabled" -> false;
      default ->
          throw arguments.wrong(
              "truncation",
              "is unknown: '%s'%s"
                  .formatted(word, Spelling.hint(word, List.of("auto", "disabled"))));
    };
  }

  private static SampleLimits limits(Arguments arguments) {
    SampleLimits limits =
        SampleLimits.ofTurns(arguments.whole("turn_limit", 1).orElse(ToolLoop.MOST_TURNS));
    Optional<Integer> messages = arguments.whole("message_limit", 1);
    if (messages.isPresent()) {
      limits = limits.withMessages(messages.get());
    }
    Optional<String> tokens = arguments.text("token_limit");
    if (tokens.isPresent()) {
      try {
        limits = limits.withTokens(TokenLimit.parse(tokens.get()));
      } catch (ConfigurationException malformed) {
        throw arguments.wrong("token_limit", "cannot be used: " + malformed.getMessage());
      }
    }
    return limits;
  }

  /**
   * @param text a template; blank if the model is told nothing
   */
  public React withPrompt(String text) {
    return new React(
        prompt(text), tools, submission, onContinue, continues, truncates, limits, toolLoop);
  }

  public React with(Submission handing) {
    return new React(
        prompt, tools, Optional.of(handing), onContinue, continues, truncates, limits, toolLoop);
  }

  /** Without a tool to submit with: a message that calls no tool is the answer. */
  public React withoutSubmission() {
    return new React(
        prompt, tools, Optional.empty(), onContinue, continues, truncates, limits, toolLoop);
  }

  /**
   * @param message a template
   * @param times how often in a row
   */
  public React withContinue(String message, int times) {
    return new React(
        prompt, tools, submission, onContinue(message), times, truncates, limits, toolLoop);
  }

  /** What the model cannot read is an error of the sample, not left out. */
  public React withoutTruncation() {
    return new React(prompt, tools, submission, onContinue, continues, false, limits, toolLoop);
  }

  /** Limits of this part, in place of the one on turns that is there. */
  public React with(SampleLimits own) {
    return new React(prompt, tools, submission, onContinue, continues, truncates, own, toolLoop);
  }

  public React with(ToolLoop loop) {
    return new React(prompt, tools, submission, onContinue, continues, truncates, limits, loop);
  }

  React withTools(List<ToolSource> offered) {
    return new React(
        prompt, offered, submission, onContinue, continues, truncates, limits, toolLoop);
  }

  private static Template prompt(String text) {
    return Prompts.of(text, "the prompt of the agent");
  }

  private static Template onContinue(String text) {
    return Prompts.of(text, "the message that tells the agent to go on");
  }

  @Override
  public void foresee(Foresight task) {
    task.tools().offerAgent(tools, submission.map(Submission::name));
    Map<String, String> more = Map.of("submit", submission.map(Submission::name).orElse(""));
    task.requireFilled(prompt, _ -> more, Set.of());
    task.expectOtherPrompt();
    task.requireFilled(onContinue, _ -> more, Set.of());
    submission.ifPresent(
        handing -> task.requireFilled(handing.incorrectMessage(), _ -> more, Set.of()));
    task.expectAnswer();
  }

  @Override
  public void solve(SampleState state, SampleContext context) throws Exception {
    new AgentLoop(this, state, context).run();
  }
}
