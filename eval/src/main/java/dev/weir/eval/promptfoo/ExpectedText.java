package dev.weir.eval.promptfoo;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An assertion as it stands in a CSV file: {@code contains: Paris}, {@code similar(0.9): a city},
 * {@code not-icontains: sorry}; a text without a known type must be equalled.
 */
final class ExpectedText {

  private static final Pattern FORM =
      Pattern.compile(
          "(?<type>[a-z][a-z0-9:-]*?)(?:\\((?<threshold>\\d+(?:\\.\\d+)?)\\))?(?::(?<value>.*))?",
          Pattern.DOTALL);

  private static final Map<String, String> ALIASES =
      Map.of("fn", "javascript", "eval", "javascript", "grade", "llm-rubric");

  private ExpectedText() {}

  static Value parse(String text, Place place) {
    Map<String, @Nullable Object> assertion = new LinkedHashMap<>();
    Matcher form = FORM.matcher(text.strip());
    if (form.matches()) {
      String written = String.valueOf(form.group("type"));
      boolean negated = written.startsWith(AssertionReader.NOT);
      String base = negated ? written.substring(AssertionReader.NOT.length()) : written;
      String type = ALIASES.getOrDefault(base, base);
      String value = form.group("value");
      if (AssertionReader.TYPES.contains(type) && (value != null || needsNone(type))) {
        assertion.put("type", negated ? AssertionReader.NOT + type : type);
        if (value != null && !value.isBlank()) {
          assertion.put("value", value.strip());
        }
        String threshold = form.group("threshold");
        if (threshold != null) {
          assertion.put("threshold", Double.valueOf(threshold));
        } else if (type.startsWith("similar")) {
          assertion.put("threshold", 0.8);
        } else if (type.matches("levenshtein|cost|latency|rouge-n|bleu|g-eval")) {
          assertion.put("threshold", 0.75);
        }
        return Value.ofPlain(assertion, place);
      }
    }
    assertion.put("type", "equals");
    assertion.put("value", text);
    return Value.ofPlain(assertion, place);
  }

  private static boolean needsNone(String type) {
    return type.startsWith("is-") || type.matches("contains-json|cost|latency");
  }
}
