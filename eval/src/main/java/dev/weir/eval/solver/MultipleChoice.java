package dev.weir.eval.solver;

import static dev.weir.eval.component.Parameter.Kind.FLAG;
import static dev.weir.eval.component.Parameter.Kind.TEXT;

import dev.weir.eval.component.Arguments;
import dev.weir.eval.component.Component;
import dev.weir.eval.component.Parameter;
import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sample.SampleState;
import dev.weir.eval.template.Template;
import dev.weir.model.ConfigurationException;
import dev.weir.model.GenerationSettings;
import dev.weir.model.Request;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Shows the choices of a sample under letters, asks for one of them, and leaves the letters that
 * were chosen in the store under {@link #CHOSEN}. Immutable.
 *
 * <p>Those letters mean the choices in the order of the sample, whatever order they were shown in;
 * the output stays as the model wrote it.
 */
public final class MultipleChoice implements Solver {

  /** Where the store has the letters: {@code B}, {@code A,C}, or nothing. */
  public static final String CHOSEN = "choices";

  private static final int LEAST_CHOICES = 2;
  private static final int MOST_CHOICES = 26;

  private static final String ONE =
      "End with a line of its own: ANSWER: and the letter of your choice, one of {{ letters }}.";

  private static final String SEVERAL =
      "More than one may be right. End with a line of its own: ANSWER: and the letters of your"
          + " choices, of {{ letters }}, separated by commas.";

  private static final String SHOWN = "{{ question }}\n\n{{ choices }}\n\n";

  private static final String STEPS = "Work it out step by step before you choose. ";

  /** Null if it depends on the rest. */
  private final @Nullable Template template;

  private final boolean cot;
  private final boolean multipleCorrect;
  private final boolean shuffle;
  private final Generate generate;

  private MultipleChoice(
      @Nullable Template template,
      boolean cot,
      boolean multipleCorrect,
      boolean shuffle,
      Generate generate) {
    this.template = template;
    this.cot = cot;
    this.multipleCorrect = multipleCorrect;
    this.shuffle = shuffle;
    this.generate = generate;
  }

  static final MultipleChoice DEFAULT =
      new MultipleChoice(null, false, false, false, Generate.DEFAULT);

  static Component<Solver> component() {
    return new Component<>(
        "multiple_choice",
        "Shows the choices of the sample under letters, and asks for one; for the scorer choice.",
        Stream.concat(
                Stream.of(
                    Parameter.optional(
                        "template",
                        TEXT,
                        "the question, with {{ question }}, {{ choices }} and"
                            + " {{ letters }}; it must ask for ANSWER: and a letter"),
                    Parameter.optional(
                        "cot", FLAG, "whether to work it out step by step, false if not given"),
                    Parameter.optional(
                        "multiple_correct",
                        FLAG,
                        "whether several letters may be right, false if not given"),
                    Parameter.optional(
                        "shuffle",
                        FLAG,
                        "whether choices are shown in an order of chance, false if not given")),
                GenerationArguments.PARAMETERS.stream())
            .toList(),
        MultipleChoice::read);
  }

  private static MultipleChoice read(Arguments arguments) {
    return new MultipleChoice(
        arguments.has("template") ? Prompts.of(arguments, "template", "") : null,
        arguments.flag("cot").orElse(false),
        arguments.flag("multiple_correct").orElse(false),
        arguments.flag("shuffle").orElse(false),
        Generate.DEFAULT.with(GenerationArguments.read(arguments)));
  }

  /**
   * @param text has {@code {{ question }}}, {@code {{ choices }}} and {@code {{ letters }}}, and
   *     asks for {@code ANSWER:} and a letter
   */
  public MultipleChoice withTemplate(String text) {
    return new MultipleChoice(Texts.template(text), cot, multipleCorrect, shuffle, generate);
  }

  /** Lets the model work it out step by step first. */
  public MultipleChoice withCot() {
    return new MultipleChoice(template, true, multipleCorrect, shuffle, generate);
  }

  /** Lets the model choose several. */
  public MultipleChoice withMultipleCorrect() {
    return new MultipleChoice(template, cot, true, shuffle, generate);
  }

  /** Shows the choices in an order of chance, which depends on seed, sample and epoch alone. */
  public MultipleChoice withShuffle() {
    return new MultipleChoice(template, cot, multipleCorrect, true, generate);
  }

  public MultipleChoice with(GenerationSettings settings) {
    return new MultipleChoice(template, cot, multipleCorrect, shuffle, generate.with(settings));
  }

  @Override
  public void foresee(Foresight task) {
    task.requireChoices("multiple_choice", LEAST_CHOICES, MOST_CHOICES);
    if (template != null) {
      task.requireFilled(template, MultipleChoice::shown, Set.of());
    }
    task.expectChoices();
    task.expectOtherPrompt();
    task.expectAnswer();
  }

  @Override
  public void solve(SampleState state, SampleContext context) throws Exception {
    List<String> choices = state.sample().choices();
    if (choices.size() < LEAST_CHOICES || choices.size() > MOST_CHOICES) {
      throw new ConfigurationException(
          "sample '%s' has %s choices, but multiple_choice needs from %s to %s; give it `choices`"
              .formatted(state.sample().id(), choices.size(), LEAST_CHOICES, MOST_CHOICES));
    }
    List<Integer> order = new ArrayList<>(IntStream.range(0, choices.size()).boxed().toList());
    if (shuffle) {
      Collections.shuffle(order, context.random());
    }
    state.setChoices(order.stream().map(choices::get).toList());
    state.setUserPrompt(question(state));
    generate.ask(state, context, simulated(state, order));
    List<Integer> shown =
        ChosenLetters.in(state.output().orElse(""), choices.size(), multipleCorrect);
    state.store().put(CHOSEN, letters(shown.stream().map(order::get).sorted().toList()));
  }

  private String question(SampleState state) {
    Template prompt =
        template != null
            ? template
            : Texts.template(SHOWN + (cot ? STEPS : "") + (multipleCorrect ? SEVERAL : ONE));
    return Prompts.fill(prompt, state, shown(state));
  }

  private static Map<String, ?> shown(SampleState state) {
    List<String> choices = state.choices();
    List<Integer> places = IntStream.range(0, choices.size()).boxed().toList();
    return Map.of(
        "question",
        state.userPrompt(),
        "letters",
        letters(places),
        CHOSEN,
        places.stream()
            .map(place -> letter(place) + ") " + choices.get(place))
            .collect(Collectors.joining("\n")));
  }

  /** A simulated model that is right says the letters of the targets, as they are shown to it. */
  private static UnaryOperator<Request> simulated(SampleState state, List<Integer> order) {
    List<Integer> shown =
        state.sample().targets().stream()
            .flatMap(target -> places(target, state.sample().choices()).stream())
            .map(order::indexOf)
            .sorted()
            .distinct()
            .toList();
    return shown.isEmpty()
        ? request -> request
        : request -> request.withTarget("ANSWER: " + letters(shown));
  }

  /** A target is letters, or one of the choices. */
  private static List<Integer> places(String target, List<String> choices) {
    List<Integer> letters = ChosenLetters.in(target, choices.size(), true);
    int place = choices.indexOf(target);
    return letters.isEmpty() && place >= 0 ? List.of(place) : letters;
  }

  private static String letters(List<Integer> places) {
    return places.stream().map(MultipleChoice::letter).collect(Collectors.joining(","));
  }

  private static String letter(int place) {
    return String.valueOf((char) ('A' + place));
  }
}
