package dev.weir.eval.scorer;

import dev.weir.eval.scorer.Expression.Applied;
import dev.weir.eval.scorer.Expression.Binary;
import dev.weir.eval.scorer.Expression.Constant;
import dev.weir.eval.scorer.Expression.Literal;
import dev.weir.eval.scorer.Expression.Negated;
import dev.weir.eval.scorer.Expression.Operator;
import dev.weir.eval.scorer.Expression.Variable;
import java.math.BigDecimal;
import java.util.Map;
import java.util.Optional;
import java.util.function.DoubleUnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads formulas, by descent. Used once; not thread-safe.
 *
 * <pre>
 *   sum     = product (("+" | "-") product)*
 *   product = signed (("*" | "/") signed | power)*            2x, 2(a+b), \frac{1}{2}x
 *   signed  = ("+" | "-") signed | power
 *   power   = postfix ("^" (group | signed-power))?           binds to the right
 *   postfix = atom "%"*
 *   atom    = number | "(" sum ")" | "[" sum "]" | "{" sum "}" | "|" sum "|" | \frac.. | \sqrt..
 *           | function ("^" power)? argument | variable ("_" subscript)?
 * </pre>
 *
 * <p>A whole number before a fraction of whole numbers is a mixed one: {@code 1 1/2}, {@code
 * 1\frac{1}{2}}.
 */
final class ExpressionParser {

  private static final int LONGEST = 1_000;
  private static final int DEEPEST = 60;

  private static final Pattern NUMBER =
      Pattern.compile(
          "(?:\\d{1,3}(?:,\\d{3})++(?![\\d,])|\\d++)(?:\\.\\d++)?+(?:[eE][-+]?\\d{1,3}(?![\\w]))?"
              + "|\\.\\d++");

  private static final Pattern PLAIN_FRACTION = Pattern.compile("\\s++(\\d++)\\s*+/\\s*+(\\d++)");
  private static final Pattern NAME = Pattern.compile("\\\\?[A-Za-z]++");
  private static final Pattern SUBSCRIPT = Pattern.compile("_(?:(\\w)|\\{([^{}]{1,20})\\})");

  private static final Map<String, DoubleUnaryOperator> FUNCTIONS =
      Map.ofEntries(
          Map.entry("sin", Math::sin),
          Map.entry("cos", Math::cos),
          Map.entry("tan", Math::tan),
          Map.entry("cot", x -> 1 / Math.tan(x)),
          Map.entry("sec", x -> 1 / Math.cos(x)),
          Map.entry("csc", x -> 1 / Math.sin(x)),
          Map.entry("arcsin", Math::asin),
          Map.entry("arccos", Math::acos),
          Map.entry("arctan", Math::atan),
          Map.entry("asin", Math::asin),
          Map.entry("acos", Math::acos),
          Map.entry("atan", Math::atan),
          Map.entry("sinh", Math::sinh),
          Map.entry("cosh", Math::cosh),
          Map.entry("tanh", Math::tanh),
          Map.entry("exp", Math::exp),
          Map.entry("ln", Math::log),
          Map.entry("log", Math::log10),
          Map.entry("sqrt", Math::sqrt),
          Map.entry("abs", Math::abs));

  /** It is no formula that we can read. */
  private static final class Unreadable extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Unreadable() {
      super("no formula", null, false, false);
    }
  }

  private final String text;
  private int at;
  private int depth;

  private ExpressionParser(String text) {
    this.text = text;
  }

  /** Empty if the text, in {@link FormulaText#plain} spelling, is no formula. */
  static Optional<Expression> parse(String text) {
    // A word is no product of its letters.
    boolean isWord = text.length() > 1 && text.chars().allMatch(Character::isLetter);
    if (text.isBlank() || text.length() > LONGEST || isWord) {
      return Optional.empty();
    }
    try {
      var parser = new ExpressionParser(text);
      Expression sum = parser.sum();
      parser.skipSpace();
      return parser.at == text.length() ? Optional.of(sum) : Optional.empty();
    } catch (Unreadable unreadable) {
      return Optional.empty();
    }
  }

  private Expression sum() {
    if (++depth > DEEPEST) {
      throw new Unreadable();
    }
    Expression sum = product();
    while (true) {
      if (take('+')) {
        sum = new Binary(Operator.PLUS, sum, product());
      } else if (take('-')) {
        sum = new Binary(Operator.PLUS, sum, new Negated(product()));
      } else {
        depth--;
        return sum;
      }
    }
  }

  private Expression product() {
    Expression product = signed();
    while (true) {
      if (take('*')) {
        product = new Binary(Operator.TIMES, product, signed());
      } else if (take('/')) {
        product = new Binary(Operator.OVER, product, signed());
      } else if (atBeginOfFactor()) {
        product = new Binary(Operator.TIMES, product, power());
      } else {
        return product;
      }
    }
  }

  private Expression signed() {
    if (take('-')) {
      return new Negated(nested(this::signed));
    }
    return take('+') ? nested(this::signed) : power();
  }

  private Expression power() {
    Expression base = postfix();
    return take('^') ? new Binary(Operator.POWER, base, exponent()) : base;
  }

  private Expression exponent() {
    return take('-') ? new Negated(nested(this::power)) : nested(this::power);
  }

  private Expression postfix() {
    Expression value = atom();
    while (take('%')) {
      value = new Binary(Operator.OVER, value, new Literal(BigDecimal.valueOf(100)));
    }
    return value;
  }

  private Expression atom() {
    skipSpace();
    if (at >= text.length()) {
      throw new Unreadable();
    }
    return switch (text.charAt(at)) {
      case '(' -> enclosed(')');
      case '[' -> enclosed(']');
      case '{' -> enclosed('}');
      case '|' -> new Applied(Math::abs, enclosed('|'));
      default -> Character.isDigit(text.charAt(at)) || text.charAt(at) == '.' ? number() : named();
    };
  }

  private Expression enclosed(char end) {
    at++;
    Expression inside = sum();
    if (!take(end)) {
      throw new Unreadable();
    }
    return inside;
  }

  private Expression number() {
    String digits = taken(NUMBER);
    Expression number = new Literal(new BigDecimal(digits.replace(",", "")));
    if (!digits.chars().allMatch(Character::isDigit)) {
      return number;
    }
    int before = at;
    Matcher fraction = PLAIN_FRACTION.matcher(text).region(at, text.length());
    if (fraction.lookingAt()) {
      at = fraction.end();
      return new Binary(
          Operator.PLUS, number, new Binary(Operator.OVER, whole(fraction, 1), whole(fraction, 2)));
    }
    skipSpace();
    if (text.startsWith("\\frac", at)) {
      Expression mixed = named();
      if (mixed instanceof Binary(Operator _, Literal top, Literal bottom)
          && isWhole(top)
          && isWhole(bottom)) {
        return new Binary(Operator.PLUS, number, mixed);
      }
      at = before;
    }
    return number;
  }

  private static Literal whole(Matcher matcher, int group) {
    return new Literal(new BigDecimal(String.valueOf(matcher.group(group))));
  }

  private static boolean isWhole(Literal literal) {
    return literal.exact().filter(Rational::isWhole).isPresent();
  }

  /** A command, a function, a constant or a variable. */
  private Expression named() {
    int before = at;
    String name = taken(NAME);
    String bare = name.startsWith("\\") ? name.substring(1) : name;
    boolean isCommand = name.startsWith("\\");
    if (isCommand && bare.equals("frac")) {
      return new Binary(Operator.OVER, partOfFraction(), partOfFraction());
    }
    if (bare.equals("sqrt")) {
      return root();
    }
    DoubleUnaryOperator function = FUNCTIONS.get(bare);
    if (function != null) {
      return applied(bare, function);
    }
    if (bare.equals("pi")) {
      return new Constant(Math.PI);
    }
    if (isCommand) {
      return new Variable(name + subscript());
    }
    if (name.length() > 2) {
      throw new Unreadable();
    }
    // Of xy, only the x; the rest is the next factor.
    at = before + 1;
    String letter = name.substring(0, 1);
    return letter.equals("e") ? new Constant(Math.E) : new Variable(letter + subscript());
  }

  private Expression root() {
    if (!take('[')) {
      return new Applied(Math::sqrt, nested(this::atom));
    }
    Expression degree = sum();
    if (!take(']')) {
      throw new Unreadable();
    }
    double n = degree.at(Map.of());
    // An odd root of a negative number is a number.
    return new Applied(
        x -> x < 0 && n % 2 == 1 ? -Math.pow(-x, 1 / n) : Math.pow(x, 1 / n), nested(this::atom));
  }

  private Expression applied(String name, DoubleUnaryOperator function) {
    DoubleUnaryOperator used = function;
    if (name.equals("log") && at < text.length() && text.charAt(at) == '_') {
      at++;
      double base = Math.log(nested(this::atom).at(Map.of()));
      used = x -> Math.log(x) / base;
    }
    Optional<Expression> exponent = take('^') ? Optional.of(exponent()) : Optional.empty();
    Expression applied = new Applied(used, nested(this::argument));
    return exponent
        .<Expression>map(power -> new Binary(Operator.POWER, applied, power))
        .orElse(applied);
  }

  /** Of a function: what is in parentheses, or else the factors up to the next function. */
  private Expression argument() {
    skipSpace();
    if (at < text.length() && text.charAt(at) == '(') {
      return enclosed(')');
    }
    Expression argument = signed();
    while (atBeginOfFactor() && !atFunction()) {
      argument = new Binary(Operator.TIMES, argument, power());
    }
    return argument;
  }

  /** Of a fraction: a single digit, a group, or whatever comes next; {@code \frac12} is a half. */
  private Expression partOfFraction() {
    skipSpace();
    return at < text.length() && Character.isDigit(text.charAt(at))
        ? new Literal(BigDecimal.valueOf(Character.digit(text.charAt(at++), 10)))
        : nested(this::atom);
  }

  private String subscript() {
    Matcher matcher = SUBSCRIPT.matcher(text).region(at, text.length());
    if (!matcher.lookingAt()) {
      return "";
    }
    at = matcher.end();
    return "_" + (matcher.group(1) == null ? matcher.group(2) : matcher.group(1));
  }

  private boolean atBeginOfFactor() {
    skipSpace();
    if (at >= text.length()) {
      return false;
    }
    char c = text.charAt(at);
    // Two numbers beside each other are no product.
    return c == '(' || c == '{' || c == '\\' || (Character.isLetter(c) && c < 128);
  }

  private boolean atFunction() {
    Matcher name = NAME.matcher(text).region(at, text.length());
    return name.lookingAt() && FUNCTIONS.containsKey(name.group().replace("\\", ""));
  }

  private interface Part {
    Expression read();
  }

  private Expression nested(Part part) {
    if (++depth > DEEPEST) {
      throw new Unreadable();
    }
    Expression read = part.read();
    depth--;
    return read;
  }

  private String taken(Pattern pattern) {
    Matcher matcher = pattern.matcher(text).region(at, text.length());
    if (!matcher.lookingAt()) {
      throw new Unreadable();
    }
    at = matcher.end();
    return matcher.group();
  }

  private boolean take(char c) {
    skipSpace();
    if (at < text.length() && text.charAt(at) == c) {
      at++;
      return true;
    }
    return false;
  }

  private void skipSpace() {
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
      at++;
    }
  }
}
