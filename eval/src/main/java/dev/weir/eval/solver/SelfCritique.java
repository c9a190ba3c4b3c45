package dev.weir.eval.solver;

import static dev.weir.eval.component.Parameter.Kind.TEXT;

import dev.weir.eval.component.Component;
import dev.weir.eval.component.Parameter;
import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sample.SampleState;
import dev.weir.eval.template.Template;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Message;
import dev.weir.model.Request;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * Lets the model of the role {@code critic} criticise the answer, and the evaluated one give a
 * better one. Immutable.
 */
final class SelfCritique implements Solver {

  static final String ROLE = "critic";

  /** What a simulated critic says, rather than the target. */
  private static final String NOTHING = "There is nothing to improve.";

  private static final String CRITIQUE =
      """
      Criticise an answer to a question: what is wrong in it, what is missing, what could be \
      clearer? Be brief. If it needs no change, say so.

      [Question]
      {{ question }}

      [Answer]
      {{ completion }}

      [Your criticism]
      """
          .strip();

  private static final String COMPLETION =
      """
      Here are a question, an answer that was given to it, and what a critic says of that answer. \
      Give the best answer that you can. If the critic found nothing, give the same answer again.

      [Question]
      {{ question }}

      [Answer]
      {{ completion }}

      [Criticism]
      {{ critique }}

      Now answer the question; say nothing of the criticism.
      """
          .strip();

  private final Template critique;
  private final Template completion;

  private SelfCritique(Template critique, Template completion) {
    this.critique = critique;
    this.completion = completion;
  }

  static SelfCritique standard() {
    return of(CRITIQUE, COMPLETION);
  }

  static SelfCritique of(String critique, String completion) {
    return new SelfCritique(Texts.template(critique), Texts.template(completion));
  }

  static Component<Solver> component() {
    return new Component<>(
        "self_critique",
        "A model, that of the role critic, criticises the answer, and the evaluated one gives a"
            + " better one.",
        List.of(
            Parameter.optional(
                "critique_template",
                TEXT,
                "what the critic is asked, with {{ question }} and {{ completion }}"),
            Parameter.optional(
                "completion_template",
                TEXT,
                "what the model is asked then, with {{ question }}, {{ completion }} and"
                    + " {{ critique }}")),
        arguments ->
            new SelfCritique(
                Prompts.of(arguments, "critique_template", CRITIQUE),
                Prompts.of(arguments, "completion_template", COMPLETION)));
  }

  @Override
  public void foresee(Foresight task) {
    task.requireAnswer("self_critique");
    Function<SampleState, Map<String, ?>> more = state -> Map.of("question", state.userPrompt());
    task.requireFilled(critique, more, Set.of("completion"));
    task.requireFilled(completion, more, Set.of("completion", "critique"));
    task.expectOtherPrompt();
    task.expectAnswer();
  }

  @Override
  public void solve(SampleState state, SampleContext context) throws Exception {
    String answer =
        state
            .output()
            .orElseThrow(
                () ->
                    new ConfigurationException(
                        "self_critique has no answer to criticise; put generate before it"));
    String question = state.userPrompt();
    String criticism =
        context
            .role(ROLE)
            .generate(
                Request.of(
                        Prompts.fill(
                            critique, state, Map.of("question", question, "completion", answer)))
                    .withTarget(NOTHING))
            .message()
            .text();
    state.add(
        Message.user(
            Prompts.fill(
                completion,
                state,
                Map.of("question", question, "completion", answer, "critique", criticism))));
    Generate.DEFAULT.solve(state, context);
  }
}
