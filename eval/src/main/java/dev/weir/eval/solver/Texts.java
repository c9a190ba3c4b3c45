package dev.weir.eval.solver;

import static dev.weir.eval.component.Parameter.Kind.TEXT;

import dev.weir.eval.component.Component;
import dev.weir.eval.component.Parameter;
import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sample.SampleState;
import dev.weir.eval.template.Template;
import dev.weir.model.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** Solvers that add a message or rewrite the question, and ask nobody. */
final class Texts {

  private static final String STEP_BY_STEP =
      """
      {{ prompt }}

      Work it out step by step before you answer. Then end with a line of its own that says \
      ANSWER: and your answer.
      """
          .strip();

  private static final String PLACE = "the template";

  private Texts() {}

  static List<Component<Solver>> components() {
    return List.of(
        text(
            "system_message",
            "Tells the model something before the conversation begins.",
            "what it is told, a template",
            Texts::system),
        text(
            "user_message",
            "Adds a message of the user to the conversation.",
            "what the user says, a template",
            Texts::user),
        text(
            "assistant_message",
            "Adds a message of the model to the conversation, as if it had said that.",
            "what it says, a template",
            Texts::assistant),
        text(
            "prompt_template",
            "Rewrites the question.",
            "the new question, a template; {{ prompt }} is the old one",
            Texts::rewrite),
        new Component<>(
            "chain_of_thought",
            "Asks the model to work it out step by step before it answers.",
            List.of(
                Parameter.optional(
                    "template", TEXT, "the new question; {{ prompt }} is the old one")),
            arguments -> rewrite(Prompts.of(arguments, "template", STEP_BY_STEP))));
  }

  private static Component<Solver> text(
      String name, String description, String parameter, Function<Template, Solver> maker) {
    return new Component<>(
        name,
        description,
        List.of(Parameter.required("template", TEXT, parameter)),
        arguments -> maker.apply(Prompts.of(arguments, "template", "")));
  }

  static Template template(String text) {
    return Prompts.of(text, PLACE);
  }

  static Solver chainOfThought() {
    return rewrite(template(STEP_BY_STEP));
  }

  static Solver system(Template text) {
    return new Filled(text, Texts::instruct, false);
  }

  static Solver user(Template text) {
    return new Filled(text, (state, told) -> state.add(Message.user(told)), true);
  }

  static Solver assistant(Template text) {
    return new Filled(text, (state, told) -> state.add(Message.assistant(told)), false);
  }

  static Solver rewrite(Template template) {
    return new Filled(template, SampleState::setUserPrompt, true);
  }

  /**
   * Does something with a text that is filled in from the sample.
   *
   * @param use what is done with it
   * @param asks whether that changes what was asked last
   */
  private record Filled(Template text, BiConsumer<SampleState, String> use, boolean asks)
      implements Solver {

    @Override
    public void solve(SampleState state, SampleContext context) {
      use.accept(state, Prompts.fill(text, state));
    }

    @Override
    public void foresee(Foresight task) {
      task.requireFilled(text);
      if (asks) {
        task.expectOtherPrompt();
      }
    }
  }

  /** Adds instructions after those that are there, before anybody speaks. */
  static void instruct(SampleState state, String text) {
    List<Message> messages = new ArrayList<>(state.messages());
    int place = 0;
    while (place < messages.size() && messages.get(place) instanceof Message.Instructions) {
      place++;
    }
    messages.add(place, Message.instructions(text));
    state.setMessages(messages);
  }
}
