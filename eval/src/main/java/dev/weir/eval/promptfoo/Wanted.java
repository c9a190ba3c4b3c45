package dev.weir.eval.promptfoo;

import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** What an assertion says it wants; tells of what is missing. Not thread-safe. */
final class Wanted {

  private final String type;
  private final Section section;
  private final ConfigFiles files;
  private final Graders graders;
  private final Problems problems;
  private Optional<String> expected = Optional.empty();

  /**
   * @param type without {@code not-}
   */
  Wanted(String type, Section section, ConfigFiles files, Graders graders, Problems problems) {
    this.type = type;
    this.section = section;
    this.files = files;
    this.graders = graders;
    this.problems = problems;
  }

  Section section() {
    return section;
  }

  Optional<Value> raw() {
    Optional<Value> value = section.value("value");
    if (value.isEmpty()) {
      problems.add(section.place(), "%s needs a `value`".formatted(type));
    }
    return value;
  }

  /** A value, or what is in the file that it names. */
  Optional<Value> optional() {
    return section.value("value").flatMap(value -> files.template(value, "value"));
  }

  Optional<Value> value() {
    Optional<Value> value = raw().flatMap(given -> files.template(given, "value"));
    value
        .map(Value::oneOrMore)
        .filter(
            list -> !list.isEmpty() && !type.matches("llm-.*|g-eval|word-count|.*json|similar.*"))
        .flatMap(list -> list.getFirst().text())
        .ifPresent(text -> expected = Optional.of(text));
    return value;
  }

  /** A text, or several. */
  Optional<Value> texts() {
    Optional<Value> value = value();
    if (value.isPresent()
        && (value.get().oneOrMore().isEmpty()
            || value.get().oneOrMore().stream().anyMatch(one -> one.text().isEmpty()))) {
      problems.add(
          value.get().place(),
          "the `value` of %s must be a text or a list of texts".formatted(type));
      return Optional.empty();
    }
    return value;
  }

  /** What a judge goes by: nothing, if a prompt of the user's own says it all. */
  Optional<Value> rubric(boolean hasPrompt) {
    return section.value("value").isEmpty()
            && (hasPrompt || section.value("rubricPrompt").isPresent())
        ? Optional.of(Value.of("", section.place()))
        : value();
  }

  Optional<String> text() {
    Optional<String> text = scalar().flatMap(Value::text);
    if (!type.startsWith("model-graded-closed")) {
      expected = text;
    }
    return text;
  }

  /** A text that is looked for. */
  Optional<Value> sought() {
    Optional<Value> value = scalar();
    expected = value.flatMap(Value::text);
    return requireSome(value, value.map(given -> List.of(given.text().orElse(""))));
  }

  /** Texts that are looked for. */
  Optional<Value> allSought() {
    Optional<Value> value = texts();
    return requireSome(value, value.map(given -> TextChecks.list(given, UnaryOperator.identity())));
  }

  private Optional<Value> requireSome(Optional<Value> value, Optional<List<String>> texts) {
    if (value.filter(Templates::isConstant).isPresent()
        && texts.filter(some -> some.isEmpty() || some.contains("")).isPresent()) {
      problems.add(
          value.get().place(),
          "the `value` of %s is empty, which every text contains".formatted(type));
    }
    return value;
  }

  private Optional<Value> scalar() {
    Optional<Value> value = raw().flatMap(given -> files.template(given, "value"));
    if (value.isPresent() && value.get().text().isEmpty()) {
      problems.add(value.get().place(), "the `value` of %s must be text".formatted(type));
    }
    return value.filter(given -> given.text().isPresent());
  }

  /** JavaScript or Python, or a file with it. */
  Optional<Value> code() {
    Optional<Value> value = raw();
    if (value.isPresent() && value.get().text().orElse("").isBlank()) {
      problems.add(value.get().place(), "the `value` of %s must be code".formatted(type));
      return Optional.empty();
    }
    return value;
  }

  /** A regular expression. */
  Optional<Value> pattern() {
    Optional<Value> value = scalar();
    requireUsable(value, given -> JsPattern.problem(given.text().orElse("")));
    return value;
  }

  /** The elements that XML must have: texts, which may stand below {@code requiredElements}. */
  Optional<Value> elements() {
    Optional<Value> value = optional();
    if (value.filter(Value::isMapping).isPresent()) {
      var nested = new Section(value.get(), "the `value` of " + type, problems);
      value = nested.value("requiredElements");
      nested.finish();
    }
    value
        .filter(given -> given.oneOrMore().stream().anyMatch(one -> one.text().isEmpty()))
        .ifPresent(
            given ->
                problems.add(
                    given.place(),
                    "the elements that %s wants must be a text or a list of texts"
                        .formatted(type)));
    return value;
  }

  /** A schema that JSON must fit, if there is one. */
  Optional<Value> schema() {
    Optional<Value> value = optional();
    requireUsable(value, DataChecks::defect);
    return value;
  }

  /** What is the same for all answers is looked at before there is one. */
  private void requireUsable(Optional<Value> value, Function<Value, Optional<String>> defect) {
    value
        .filter(Templates::isConstant)
        .ifPresent(
            given ->
                defect
                    .apply(given)
                    .ifPresent(found -> problems.add(given.place(), "`value`: " + found)));
  }

  Optional<String> expected() {
    return expected;
  }

  OptionalDouble threshold() {
    return section.number("threshold");
  }

  /** A threshold that must be there. */
  Optional<Double> needed() {
    OptionalDouble threshold = threshold();
    if (threshold.isEmpty()) {
      problems.add(section.place(), "%s needs a `threshold`".formatted(type));
      return Optional.empty();
    }
    return Optional.of(threshold.getAsDouble());
  }

  Optional<Check> measured(
      double usual, TextChecks.Measure measure, BiPredicate<Double, Double> fits) {
    double threshold = threshold().orElse(usual);
    return texts().map(value -> TextChecks.measured(value, type, threshold, measure, fits));
  }

  GradedChecks graded() {
    return new GradedChecks(
        section.value("provider").flatMap(graders::read),
        section.value("rubricPrompt").flatMap(value -> files.template(value, "rubricPrompt")));
  }

  @org.jspecify.annotations.Nullable
  Object config() {
    return section.value("config").map(Value::plain).orElse(null);
  }
}
