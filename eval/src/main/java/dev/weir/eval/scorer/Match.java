package dev.weir.eval.scorer;

import static dev.weir.eval.component.Parameter.optional;

import dev.weir.eval.component.Component;
import dev.weir.eval.component.Parameter.Kind;
import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sample.SampleState;
import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;

/**
 * Right if a target stands at a certain place of the output. White space and punctuation around
 * both do not count. Where a target is a number, numbers can be compared instead of letters: then
 * {@code 1,000.0} is 1000, and 15 does not end with 5.
 */
record Match(Location location, boolean numeric, boolean ignoreCase) implements Scorer {

  static final Component<Scorer> COMPONENT =
      new Component<>(
          "match",
          "Right if the output ends (or begins) with a target, ignoring punctuation around it.",
          List.of(
              optional(
                  "location",
                  Kind.TEXT,
                  "Where the target stands: begin, end, any or exact. Default: end."),
              optional(
                  "numeric",
                  Kind.FLAG,
                  "Whether a target that is a number is compared as one. Default: false."),
              optional("ignore_case", Kind.FLAG, "Whether case does not count. Default: true.")),
          arguments ->
              new Match(
                  Words.read(arguments, "location", Location.class, Location.END),
                  arguments.flag("numeric").orElse(false),
                  arguments.flag("ignore_case").orElse(true)));

  @Override
  public Score score(SampleState state, SampleContext context) {
    String output = Targets.output(state);
    for (String target : Targets.of(state)) {
      Optional<BigDecimal> number = numeric ? Numbers.parse(target) : Optional.empty();
      if (number.isPresent() ? hasNumber(output, number.get()) : hasText(output, target)) {
        return Score.RIGHT;
      }
    }
    return Score.WRONG;
  }

  private boolean hasNumber(String output, BigDecimal target) {
    return Numbers.at(location, output).stream().anyMatch(found -> found.compareTo(target) == 0);
  }

  private boolean hasText(String output, String target) {
    String said = bare(Targets.form(output, ignoreCase));
    String wanted = bare(Targets.form(target, ignoreCase));
    if (wanted.isEmpty()) {
      return said.isEmpty();
    }
    return switch (location) {
      case BEGIN -> said.startsWith(wanted);
      case END -> said.endsWith(wanted);
      case ANY -> said.contains(wanted);
      case EXACT -> said.equals(wanted);
    };
  }

  /** Without punctuation around it; a sign before a number is none. */
  static String bare(String text) {
    int begin = 0;
    int end = text.length();
    while (end > 0 && isPunctuation(text.charAt(end - 1))) {
      end--;
    }
    while (begin < end && isPunctuation(text.charAt(begin)) && !isSign(text, begin)) {
      begin++;
    }
    return text.substring(begin, end);
  }

  private static boolean isSign(String text, int at) {
    return "+-.\u2212".indexOf(text.charAt(at)) >= 0
        && at + 1 < text.length()
        && Character.isDigit(text.charAt(at + 1));
  }

  private static boolean isPunctuation(char c) {
    return Character.isWhitespace(c)
        || switch (Character.getType(c)) {
          case Character.CONNECTOR_PUNCTUATION,
              Character.DASH_PUNCTUATION,
              Character.START_PUNCTUATION,
              Character.END_PUNCTUATION,
              Character.INITIAL_QUOTE_PUNCTUATION,
              Character.FINAL_QUOTE_PUNCTUATION,
              Character.OTHER_PUNCTUATION,
              Character.MATH_SYMBOL,
              Character.CURRENCY_SYMBOL,
              Character.MODIFIER_SYMBOL ->
              true;
          default -> false;
        };
  }
}
