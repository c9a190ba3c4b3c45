package dev.weir.eval.scorer;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;

/**
 * An answer to a question of mathematics: a formula, several of them in brackets, or a text. Two
 * are equivalent if they have the same value: exactly, where both are fractions; otherwise at
 * points that are always the same ones.
 */
sealed interface Formula {

  record Single(Expression expression) implements Formula {}

  /**
   * A point, an interval, a set, an equation.
   *
   * @param brackets around it: {@code ()}, {@code [)}, <code>{}</code>; or {@code =}
   */
  record Several(String brackets, List<Formula> parts) implements Formula {}

  /** What we cannot read: only the same is equivalent to it. */
  record Text(String text) implements Formula {}

  int LONGEST = 2_000;
  int MOST_PARTS = 50;
  int SHORTEST_WORD = 4;
  String SET = "{}";
  int POINTS = 8;
  int FEWEST_POINTS = 3;
  double CLOSE = 1e-9;
  double ALMOST_ZERO = 1e-12;
  long SEED = 2_004;

  static Formula parse(String text) {
    if (text.length() > LONGEST) {
      return words(text);
    }
    String plain = FormulaText.plain(text);
    Optional<Formula> sides = equation(plain);
    if (sides.isPresent()) {
      return sides.get();
    }
    if (isWord(plain)) {
      return new Text(plain.toLowerCase(Locale.ROOT));
    }
    return several(plain)
        .or(() -> ExpressionParser.parse(plain).map(Single::new))
        .orElseGet(() -> words(plain));
  }

  /** In whatever case, and with whatever space between them. */
  private static Formula words(String text) {
    return new Text(text.replaceAll("\\s", "").toLowerCase(Locale.ROOT));
  }

  /** Of {@code x = 5}, the 5; other equations have two sides. */
  private static Optional<Formula> equation(String plain) {
    List<String> sides = split(plain, '=');
    if (sides.size() != 2) {
      return Optional.empty();
    }
    Formula right = parse(sides.getLast());
    return Optional.of(
        sides.getFirst().strip().matches("\\\\?[A-Za-z](_\\w)?")
            ? right
            : new Several("=", List.of(parse(sides.getFirst()), right)));
  }

  /** A word is no product of its letters: listen is not silent. */
  private static boolean isWord(String plain) {
    return plain.length() >= SHORTEST_WORD && plain.chars().allMatch(Character::isLetter);
  }

  /** Without brackets, as in 1, 2, it is a set. */
  private static Optional<Formula> listed(String plain) {
    List<String> parts = split(plain, ',');
    return parts.size() < 2 || parts.size() > MOST_PARTS || parts.stream().anyMatch(String::isBlank)
        ? Optional.empty()
        : Optional.of(new Several(SET, parts.stream().map(Formula::parse).toList()));
  }

  private static Optional<Formula> several(String plain) {
    Optional<Formula> listed = listed(plain);
    if (listed.isPresent()) {
      return listed;
    }
    String inside = plain.replace("\\{", "{").replace("\\}", "}");
    if (inside.length() < 2) {
      return Optional.empty();
    }
    char open = inside.charAt(0);
    char close = inside.charAt(inside.length() - 1);
    if ("([{".indexOf(open) < 0 || ")]}".indexOf(close) < 0) {
      return Optional.empty();
    }
    List<String> parts = split(inside.substring(1, inside.length() - 1), ',');
    boolean isSet = plain.startsWith("\\{");
    if (parts.size() > MOST_PARTS || (parts.size() < 2 && !isSet)) {
      return Optional.empty();
    }
    return Optional.of(new Several("" + open + close, parts.stream().map(Formula::parse).toList()));
  }

  /** At the places that are in no brackets; a comma in 1,000 is none. */
  private static List<String> split(String text, char separator) {
    List<String> parts = new ArrayList<>();
    int depth = 0;
    int begin = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if ("([{".indexOf(c) >= 0) {
        depth++;
      } else if (")]}".indexOf(c) >= 0) {
        depth--;
      } else if (c == separator && depth == 0 && !isInNumber(text, i)) {
        parts.add(text.substring(begin, i));
        begin = i + 1;
      }
    }
    parts.add(text.substring(begin));
    return parts;
  }

  private static boolean isInNumber(String text, int at) {
    return text.charAt(at) == ','
        && text.substring(Math.max(0, at - 1), Math.min(text.length(), at + 5))
            .matches("\\d,\\d{3}(?!\\d).?");
  }

  static boolean areEquivalent(Formula left, Formula right) {
    if (left instanceof Single(Expression a) && right instanceof Single(Expression b)) {
      return haveSameValue(a, b);
    }
    if (left instanceof Several several && right instanceof Several others) {
      return several.brackets().equals(others.brackets())
          && several.parts().size() == others.parts().size()
          && (several.brackets().equals(SET)
              ? haveSameMembers(several.parts(), others.parts())
              : haveSameParts(several.parts(), others.parts()));
    }
    return left instanceof Text(String a) && right instanceof Text(String b) && a.equals(b);
  }

  private static boolean haveSameParts(List<Formula> left, List<Formula> right) {
    for (int i = 0; i < left.size(); i++) {
      if (!areEquivalent(left.get(i), right.get(i))) {
        return false;
      }
    }
    return true;
  }

  /** In any order. */
  private static boolean haveSameMembers(List<Formula> left, List<Formula> right) {
    List<Formula> rest = new ArrayList<>(right);
    for (Formula member : left) {
      Optional<Formula> same =
          rest.stream().filter(other -> areEquivalent(member, other)).findFirst();
      if (same.isEmpty()) {
        return false;
      }
      rest.remove(same.get());
    }
    return rest.isEmpty();
  }

  private static boolean haveSameValue(Expression left, Expression right) {
    Optional<Rational> a = left.exact();
    Optional<Rational> b = right.exact();
    if (a.isPresent() && b.isPresent()) {
      return a.equals(b);
    }
    Set<String> variables = new TreeSet<>();
    left.collectVariables(variables);
    right.collectVariables(variables);
    return agreeAtPoints(left, right, variables);
  }

  /** Where one has a value and the other has none, they differ. */
  private static boolean agreeAtPoints(Expression left, Expression right, Set<String> variables) {
    var random = new SplittableRandom(SEED);
    int points = variables.isEmpty() ? 1 : POINTS;
    int told = 0;
    for (int i = 0; i < points; i++) {
      Map<String, Double> point = new HashMap<>();
      for (String variable : variables) {
        double size = 0.3 + 2.5 * random.nextDouble();
        point.put(variable, random.nextInt(3) == 0 ? -size : size);
      }
      double a = left.at(point);
      double b = right.at(point);
      if (Double.isFinite(a) != Double.isFinite(b)) {
        return false;
      }
      if (Double.isFinite(a)) {
        if (!areClose(a, b)) {
          return false;
        }
        told++;
      }
    }
    return told >= Math.min(points, FEWEST_POINTS);
  }

  private static boolean areClose(double a, double b) {
    double difference = Math.abs(a - b);
    return difference <= ALMOST_ZERO || difference <= CLOSE * Math.max(Math.abs(a), Math.abs(b));
  }
}
