package dev.weir.eval.promptfoo;

import dev.weir.eval.scorer.NoScoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Assertions that look at the text of an answer. */
final class TextChecks {

  private static final Pattern LISTED =
      Pattern.compile("\\s*(?:\"((?:[^\"\\\\]|\\\\.)*)\"|([^,]*))\\s*(?:,|$)");

  private TextChecks() {}

  static Check equalTo(Value value) {
    boolean isData = value.isMapping() || value.isList();
    return (answer, _) -> {
      Object expected = answer.fillAll(value.plain());
      boolean same =
          isData
              ? parsed(answer).map(p -> Json.same(p.data(), expected)).orElse(false)
              : answer.text().equals(expected == null ? "" : Json.scalarText(expected));
      return Verdict.of(same, "equal " + quoted(Json.text(expected)));
    };
  }

  private static Optional<Json.Parsed> parsed(Answer answer) {
    Object output = answer.output();
    return output instanceof String text ? Json.parse(text) : Optional.of(new Json.Parsed(output));
  }

  static Check contains(Value value, boolean ignoringCase) {
    return (answer, _) -> {
      String wanted = sought(answer.fill(value.text().orElse("")), value);
      return Verdict.of(
          fold(answer.text(), ignoringCase).contains(fold(wanted, ignoringCase)),
          "contain " + quoted(wanted));
    };
  }

  static Check startsWith(Value value) {
    return (answer, _) -> {
      String wanted = sought(answer.fill(value.text().orElse("")), value);
      return Verdict.of(answer.text().startsWith(wanted), "start with " + quoted(wanted));
    };
  }

  /** At least one of a list. */
  static Check containsAny(Value value, boolean ignoringCase) {
    return (answer, _) -> {
      List<String> wanted = sought(value, answer);
      String text = fold(answer.text(), ignoringCase);
      return Verdict.of(
          wanted.stream().anyMatch(one -> text.contains(fold(one, ignoringCase))),
          "contain one of " + quoted(String.join(", ", wanted)));
    };
  }

  /** All of a list. */
  static Check containsAll(Value value, boolean ignoringCase) {
    return (answer, _) -> {
      String text = fold(answer.text(), ignoringCase);
      List<String> missing =
          sought(value, answer).stream()
              .filter(one -> !text.contains(fold(one, ignoringCase)))
              .toList();
      return Verdict.of(missing.isEmpty(), "contain " + quoted(String.join(", ", missing)));
    };
  }

  /** Nothing is in every text. */
  private static String sought(String text, Value value) {
    if (text.isEmpty()) {
      throw new NoScoreException("%s: what must be contained is empty".formatted(value.place()));
    }
    return text;
  }

  private static List<String> sought(Value value, Answer answer) {
    List<String> listed = list(value, answer::fill);
    return listed.isEmpty()
        ? List.of(sought("", value))
        : listed.stream().map(one -> sought(one, value)).toList();
  }

  /** A list, or a text with commas between, where quotes keep commas together. */
  static List<String> list(Value value, UnaryOperator<String> fill) {
    if (value.isList()) {
      List<String> filled = new ArrayList<>();
      for (Value member : value.members()) {
        filled.add(fill.apply(member.text().orElse("")));
      }
      return filled;
    }
    return split(fill.apply(value.text().orElse("")));
  }

  static List<String> split(String text) {
    List<String> parts = new ArrayList<>();
    Matcher listed = LISTED.matcher(text);
    int at = 0;
    while (at < text.length() && listed.find(at)) {
      String quoted = listed.group(1);
      parts.add(
          quoted == null
              ? String.valueOf(listed.group(2)).strip()
              : quoted.replaceAll("\\\\(.)", "$1"));
      at = Math.max(listed.end(), at + 1);
    }
    return parts;
  }

  static Check regex(Value value) {
    return (answer, _) -> {
      String pattern = answer.fill(value.text().orElse(""));
      JsPattern.problem(pattern)
          .ifPresent(
              problem -> {
                throw new NoScoreException("%s: %s".formatted(value.place(), problem));
              });
      return Verdict.of(JsPattern.find(pattern, answer.text()), "match /%s/".formatted(pattern));
    };
  }

  /** A measure of two texts against a threshold. */
  static Check measured(
      Value value,
      String what,
      double threshold,
      Measure measure,
      BiPredicate<Double, Double> fits) {
    return (answer, _) -> {
      List<String> references = new ArrayList<>();
      for (Value one : value.oneOrMore()) {
        references.add(answer.fill(one.text().orElse("")));
      }
      double score = measure.of(answer.text(), references);
      boolean pass = fits.test(score, threshold);
      boolean isShare = score >= 0 && score <= 1 && !what.equals("levenshtein");
      return Verdict.of(
          pass,
          isShare ? score : pass ? 1 : 0,
          pass
              ? ""
              : String.format(
                  Locale.ROOT, "%s is %.3g, but the threshold is %s", what, score, threshold));
    };
  }

  /** How near an answer is to one of several texts. */
  @FunctionalInterface
  interface Measure {
    double of(String answer, List<String> references);
  }

  private static String fold(String text, boolean ignoringCase) {
    return ignoringCase ? text.toLowerCase(Locale.ROOT) : text;
  }

  private static String quoted(@Nullable String text) {
    String shown = String.valueOf(text);
    return "'%s'".formatted(shown.length() <= 200 ? shown : shown.substring(0, 200) + "…");
  }
}
