package dev.weir.eval.scorer;

import dev.weir.eval.component.Component;
import dev.weir.eval.dataset.Sample;
import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sample.SampleState;
import dev.weir.eval.solver.Foresight;
import dev.weir.model.Printable;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Right if the model chose all right answers and no other.
 *
 * <p>The solver {@code multiple_choice} leaves what was chosen in the store, as letters that mean
 * positions in the dataset, whatever the order in which answers were shown. Without it, what stands
 * behind the last {@code ANSWER:} counts.
 */
final class Choice implements Scorer {

  /** Where the solver leaves the letters: {@code B}, or {@code A,C}. */
  static final String STORED = "choices";

  static final Component<Scorer> COMPONENT =
      Component.of(
          "choice",
          "Right if the model chose the right answers of multiple_choice and no other.",
          new Choice());

  private static final Pattern LETTERS =
      Pattern.compile(
          "[A-Za-z](?:[\\s,;&/()]*+(?:and[\\s(]++)?[A-Za-z])*+", Pattern.CASE_INSENSITIVE);

  private static final Pattern AND = Pattern.compile("(?i)\\band\\b");

  @Override
  public void foresee(Foresight task) {
    task.requireChoicesShown(COMPONENT.name());
    task.requireChoices("the scorer 'choice'", 1, Integer.MAX_VALUE);
    task.requireTargets(
        (sample, target) ->
            meant(target, sample.choices()).isPresent()
                ? Optional.empty()
                : Optional.of(noChoice(target, sample.choices())));
  }

  @Override
  public Score score(SampleState state, SampleContext context) {
    Sample sample = state.sample();
    if (sample.choices().isEmpty()) {
      throw new NoScoreException(
          "the sample has no choices, but the scorer 'choice' needs them; map the field `choices`");
    }
    Set<Integer> right = new TreeSet<>();
    for (String target : Targets.of(state)) {
      right.addAll(
          meant(target, sample.choices())
              .orElseThrow(() -> new NoScoreException(noChoice(target, sample.choices()))));
    }
    Set<Integer> chosen = chosen(state, sample.choices().size());
    if (chosen.isEmpty()) {
      return Score.WRONG.withExplanation("the model chose none of the answers");
    }
    return Score.of(chosen.equals(right)).withAnswer(letters(chosen));
  }

  private static Set<Integer> chosen(SampleState state, int size) {
    Object stored = state.store().get(STORED);
    if (stored != null) {
      return positions(stored.toString(), size).orElse(Set.of());
    }
    String output = Targets.output(state);
    return AnswerScorer.find(AnswerScorer.What.LINE, output)
        .flatMap(line -> positions(line, size))
        // B) Paris
        .or(
            () ->
                AnswerScorer.find(AnswerScorer.What.LETTER, output)
                    .flatMap(letter -> positions(letter, size)))
        .orElse(Set.of());
  }

  /** The positions that a target names, by letters or by the text of one; absent if by none. */
  private static Optional<Set<Integer>> meant(String target, List<String> choices) {
    Optional<Set<Integer>> byLetter = positions(target, choices.size());
    if (byLetter.isPresent()) {
      return byLetter;
    }
    String form = Targets.form(target, true);
    for (int i = 0; i < choices.size(); i++) {
      if (Targets.form(choices.get(i), true).equals(form)) {
        return Optional.of(Set.of(i));
      }
    }
    return Optional.empty();
  }

  private static String noChoice(String target, List<String> choices) {
    return "the target '%s' is neither a letter of the %d choices nor one of them"
        .formatted(Printable.line(target), choices.size());
  }

  /** Of letters; absent if they are none, or too far in the alphabet. */
  private static Optional<Set<Integer>> positions(String letters, int size) {
    String bare = Match.bare(letters.strip());
    Matcher matcher = LETTERS.matcher(bare);
    // A word is no list of letters, unless it is all capitals: CAB, but not cab.
    boolean isWord = bare.length() > 1 && bare.chars().allMatch(Character::isLetter);
    if (!matcher.matches() || (isWord && !bare.chars().allMatch(Character::isUpperCase))) {
      return Optional.empty();
    }
    Set<Integer> positions = new TreeSet<>();
    for (char c : AND.matcher(bare).replaceAll(" ").toCharArray()) {
      if (Character.isLetter(c)) {
        int position = Character.toUpperCase(c) - 'A';
        if (position >= size) {
          return Optional.empty();
        }
        positions.add(position);
      }
    }
    return Optional.of(positions);
  }

  private static String letters(Set<Integer> positions) {
    return positions.stream()
        .map(position -> String.valueOf((char) ('A' + position)))
        .collect(Collectors.joining(","));
  }
}
