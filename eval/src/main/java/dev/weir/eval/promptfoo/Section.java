package dev.weir.eval.promptfoo;

import dev.weir.model.Spelling;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;

/**
 * A mapping of a configuration while it is read: remembers which keys were asked for, and tells of
 * the others. Not thread-safe.
 */
final class Section {

  private final Value value;
  private final String what;
  private final Problems problems;
  private final Set<String> known = new LinkedHashSet<>();

  /**
   * @param what for people: {@code "a test"}
   */
  Section(Value value, String what, Problems problems) {
    this.value = value;
    this.what = what;
    this.problems = problems;
    if (!value.isMapping() && !value.isNothing()) {
      problems.add(value.place(), "%s must be a mapping (key: value)".formatted(what));
    }
  }

  Optional<Value> value(String key) {
    known.add(key);
    return value.member(key);
  }

  /** The first of these keys that is there. */
  Optional<Value> value(String key, String... others) {
    Optional<Value> found = value(key);
    for (String other : others) {
      Optional<Value> also = value(other);
      found = found.isPresent() ? found : also;
    }
    return found;
  }

  Optional<String> text(String key) {
    return value(key)
        .flatMap(
            given -> {
              if (given.text().isEmpty()) {
                problems.add(given.place(), "`%s` must be text".formatted(key));
              }
              return given.text();
            });
  }

  /** A text that is filled later; tells if it cannot be. */
  Optional<String> template(String key) {
    Optional<String> text = text(key);
    value(key).ifPresent(given -> Templates.check(given, key, problems));
    return text;
  }

  OptionalDouble number(String key) {
    return value(key).map(given -> number(given, key)).orElse(OptionalDouble.empty());
  }

  private OptionalDouble number(Value given, String key) {
    try {
      double number = Double.parseDouble(given.text().orElse(""));
      if (Double.isFinite(number)) {
        return OptionalDouble.of(number);
      }
    } catch (NumberFormatException notANumber) {
      // Reported below, like one that is not finite.
    }
    problems.add(given.place(), "`%s` must be a number".formatted(key));
    return OptionalDouble.empty();
  }

  /** A whole number that is not negative. */
  Optional<Long> whole(String key) {
    return whole(key, 0);
  }

  Optional<Long> whole(String key, long least) {
    OptionalDouble number = number(key);
    if (number.isEmpty()) {
      return Optional.empty();
    }
    double given = number.getAsDouble();
    if (given < least || given != Math.rint(given) || given > 1e15) {
      problems.add(
          value.entries().getOrDefault(key, value).place(),
          "`%s` must be a whole number >= %d".formatted(key, least));
      return Optional.empty();
    }
    return Optional.of((long) given);
  }

  boolean flag(String key) {
    Optional<Value> given = value(key);
    if (given.isEmpty()) {
      return false;
    }
    String text = given.get().text().orElse("");
    if (!text.equals("true") && !text.equals("false")) {
      problems.add(given.get().place(), "`%s` must be true or false".formatted(key));
    }
    return text.equals("true");
  }

  /** Texts; one that stands alone is a list of one. */
  List<String> texts(String key) {
    List<String> texts = new ArrayList<>();
    for (Value member : value(key).map(Value::oneOrMore).orElse(List.of())) {
      if (member.text().isEmpty()) {
        problems.add(member.place(), "`%s` must be a text or a list of texts".formatted(key));
      }
      member.text().ifPresent(texts::add);
    }
    return texts;
  }

  /**
   * A mapping within it.
   *
   * @param what for people
   */
  Optional<Section> section(String key, String what) {
    return value(key).map(given -> new Section(given, what, problems));
  }

  /** Keys that are there for others, and change nothing here. */
  void ignore(String... keys) {
    known.addAll(List.of(keys));
  }

  /** A key that promptfoo knows and Weir does not. */
  void unsupported(String key, String instead) {
    if (value(key).isPresent()) {
      problems.unsupported(value.placeOf(key), "`%s` of %s".formatted(key, what), instead);
    }
  }

  /** The keys that nobody asked for so far. */
  List<String> rest() {
    return value.entries().keySet().stream().filter(key -> !known.contains(key)).toList();
  }

  /** Tells of all keys that nobody asked for. */
  void finish() {
    for (String key : rest()) {
      problems.add(
          value.placeOf(key),
          "unknown key '%s' in %s%s".formatted(key, what, Spelling.hint(key, known)));
    }
  }

  Place place() {
    return value.place();
  }

  Place placeOf(String key) {
    return value.placeOf(key);
  }
}
