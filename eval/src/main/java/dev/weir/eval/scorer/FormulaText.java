package dev.weir.eval.scorer;

import java.util.List;
import java.util.regex.Pattern;

/** Brings formulas, in LaTeX or plain text, into one spelling. */
final class FormulaText {

  private record Rule(Pattern pattern, String replacement) {}

  private static final List<Rule> RULES =
      List.of(
          rule("\\\\left(?![a-z])|\\\\right(?![a-z])|\\\\[dD]isplaystyle(?![a-z])", ""),
          rule("\\\\!|\\\\[()\\[\\]]", ""),
          rule("\\{,\\}", ","),
          rule("\\\\[,;: ]|\\\\quad(?![a-z])|\\\\qquad(?![a-z])|~", " "),
          rule("\\^\\s*(?:\\\\circ(?![a-z])|\\{\\s*\\\\circ\\s*\\})|°", ""),
          rule("\\\\[dtc]frac(?![a-z])", "\\\\frac"),
          rule("\\\\(?:cdot|times)(?![a-z])|×|·|∗|⋅", "*"),
          rule("\\\\div(?![a-z])|÷|∕", "/"),
          rule("\\*\\*", "^"),
          rule("[\u2212\u2013]", "-"),
          rule("√", "\\\\sqrt"),
          rule("π", "\\\\pi"),
          rule("∞", "\\\\infty"),
          rule("²", "^2"),
          rule("³", "^3"),
          rule("\\\\%", "%"),
          rule("\\\\\\$|\\$|€|£", " "));

  /** Units and remarks. */
  private static final Pattern WORDS =
      Pattern.compile("\\\\(?:text|mbox|textbf|mathrm|textrm|operatorname)\\s*\\{([^{}]*)\\}");

  private FormulaText() {}

  private static Rule rule(String pattern, String replacement) {
    return new Rule(Pattern.compile(pattern), replacement);
  }

  static String plain(String text) {
    String formula = ruled(WORDS.matcher(text).replaceAll(" "));
    // Words are not part of a formula, unless there is nothing else: then they are the answer.
    return formula.isEmpty() ? ruled(WORDS.matcher(text).replaceAll("$1")) : formula;
  }

  private static String ruled(String text) {
    String plain = text;
    for (Rule rule : RULES) {
      plain = rule.pattern().matcher(plain).replaceAll(rule.replacement());
    }
    plain = plain.strip();
    while (plain.endsWith(".") || plain.endsWith(",")) {
      plain = plain.substring(0, plain.length() - 1).strip();
    }
    return plain;
  }
}
