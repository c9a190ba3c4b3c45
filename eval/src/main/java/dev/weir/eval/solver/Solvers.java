package dev.weir.eval.solver;

import dev.weir.eval.component.Component;
import dev.weir.eval.sample.ToolSource;
import dev.weir.model.GenerationSettings;
import dev.weir.model.ToolChoice;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The solvers that a task can name, and how programs make them. What is called a template fills in
 * {@code {{ prompt }}}, what was last asked; {@code {{ input }}}, {@code {{ id }}}, {@code {{ epoch
 * }}}, {@code {{ choices }}} and {@code {{ metadata.NAME }}}, or {@code {{ NAME }}} for short.
 */
public final class Solvers {

  private static final List<Component<Solver>> COMPONENTS =
      Stream.concat(
              Texts.components().stream(),
              Stream.of(
                  Generate.component(),
                  MultipleChoice.component(),
                  SelfCritique.component(),
                  UseTools.component(),
                  React.component()))
          .toList();

  private static final Map<String, Component<Solver>> BY_NAME = new TreeMap<>();

  static {
    COMPONENTS.forEach(component -> BY_NAME.put(component.name(), component));
  }

  private Solvers() {}

  public static Optional<Component<Solver>> find(String name) {
    return Optional.ofNullable(BY_NAME.get(name));
  }

  public static Set<String> names() {
    return BY_NAME.keySet();
  }

  public static List<Component<Solver>> all() {
    return COMPONENTS;
  }

  /** Tells the model something before the conversation begins, after what it is told already. */
  public static Solver systemMessage(String template) {
    return Texts.system(Texts.template(template));
  }

  /** Adds a message of the user to the conversation. */
  public static Solver userMessage(String template) {
    return Texts.user(Texts.template(template));
  }

  /** Adds a message of the model to the conversation, as if it had said that. */
  public static Solver assistantMessage(String template) {
    return Texts.assistant(Texts.template(template));
  }

  /** Rewrites what was last asked. */
  public static Solver promptTemplate(String template) {
    return Texts.rewrite(Texts.template(template));
  }

  /** Asks the model to work it out step by step, and to end with {@code ANSWER:} and its answer. */
  public static Solver chainOfThought() {
    return Texts.chainOfThought();
  }

  /** Asks the model, runs the tools it calls, and asks again until it calls none. */
  public static Generate generate() {
    return Generate.DEFAULT;
  }

  /**
   * @param settings how answers are made; they win over those of the run
   */
  public static Generate generate(GenerationSettings settings) {
    return Generate.DEFAULT.with(settings);
  }

  /** Shows the choices of the sample under letters, and asks for one. */
  public static MultipleChoice multipleChoice() {
    return MultipleChoice.DEFAULT;
  }

  /**
   * The model of the role {@code critic} criticises the answer, the evaluated one gives a better.
   */
  public static Solver selfCritique() {
    return SelfCritique.standard();
  }

  /**
   * @param critiqueTemplate what the critic is asked, with {@code {{ question }}} and {@code {{
   *     completion }}}
   * @param completionTemplate what the model is asked then, with {@code {{ critique }}} as well
   */
  public static Solver selfCritique(String critiqueTemplate, String completionTemplate) {
    return SelfCritique.of(critiqueTemplate, completionTemplate);
  }

  /** Lets the model call these tools from here on, and no others. */
  public static Solver useTools(ToolSource... tools) {
    return new UseTools(List.of(tools), new ToolChoice.Auto(), false);
  }

  /** As {@link #useTools(ToolSource...)}, with a say in which of them are called. */
  public static Solver useTools(ToolChoice choice, ToolSource... tools) {
    return new UseTools(List.of(tools), choice, false);
  }

  /** An agent that calls tools, these and those of earlier steps, until it submits an answer. */
  public static React react(ToolSource... tools) {
    return React.DEFAULT.withTools(List.of(tools));
  }
}
