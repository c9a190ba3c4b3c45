package dev.weir.eval.promptfoo;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * Makes test cases of tests: what all have in common is merged in, variables with several values
 * multiply. Not thread-safe.
 */
final class TestReader {

  /** More than this is a mistake. */
  private static final int MOST_TESTS = 1_000_000;

  private final ConfigFiles files;
  private final Scripts scripts;
  private final Graders graders;
  private final AssertionReader assertions;
  private final Problems problems;
  private final Variables variables;
  private final List<TestCase> cases = new ArrayList<>();
  private final Value defaults;
  private final AssertionReader.Read defaultAssertions;
  private final TestOptions defaultOptions;
  private final OptionalDouble defaultThreshold;

  /** Scripts of all tests, until there is one. */
  private List<ScriptTemplate> untried;

  private final List<String> defaultProviders;
  private final List<String> defaultPrompts;

  TestReader(
      ConfigFiles files,
      Scripts scripts,
      Graders graders,
      AssertionReader assertions,
      Problems problems,
      Value defaultTest) {
    this.files = files;
    this.scripts = scripts;
    this.graders = graders;
    this.assertions = assertions;
    this.problems = problems;
    this.variables = new Variables(files, problems);
    this.defaults = files.dataOf(defaultTest).orElse(Value.of(null, defaultTest.place()));
    this.defaultOptions = options(defaults, true);
    if (defaultOptions.rubricPrompt().isPresent()) {
      assertions.setRubricPrompt();
    }
    this.defaultAssertions =
        defaults.member("assert").map(assertions::read).orElse(AssertionReader.Read.NONE);
    this.untried = assertions.takeTemplates();
    Section common = section(defaults, "`defaultTest`");
    common.unsupported("providerOutput", "give it in the tests that have one");
    this.defaultThreshold = common.number("threshold");
    this.defaultProviders = common.texts("providers");
    this.defaultPrompts = common.texts("prompts");
  }

  /** The tests, then those of scenarios; a configuration without any has one, without variables. */
  List<TestCase> read(Optional<Value> tests, Optional<Value> scenarios) {
    var found = new TestFiles(files, problems);
    tests.ifPresent(given -> found.all(given).forEach(test -> add(test, defaults.place())));
    for (Value given : scenarios.map(Value::oneOrMore).orElse(List.of())) {
      files.dataOf(given).ifPresent(one -> one.oneOrMore().forEach(s -> addScenario(s, found)));
    }
    if (tests.isEmpty() && scenarios.isEmpty()) {
      add(Value.ofPlain(Map.of(), defaults.place()), defaults.place());
    }
    return cases;
  }

  /** Each set of variables with each test. */
  private void addScenario(Value scenario, TestFiles found) {
    var section = new Section(scenario, "a scenario", problems);
    section.ignore("description", "label");
    List<Value> sets = found.all(section.value("config").orElse(Value.of(null, scenario.place())));
    List<Value> tests = found.all(section.value("tests").orElse(Value.of(null, scenario.place())));
    section.finish();
    for (Value set : sets) {
      for (Value test :
          tests.isEmpty() ? List.of(Value.ofPlain(Map.of(), scenario.place())) : tests) {
        add(merged(set, test), test.place());
      }
    }
  }

  /** What both assert is asserted; else a test's own word counts, key by key within mappings. */
  private Value merged(Value set, Value test) {
    Map<String, Value> entries = new LinkedHashMap<>(set.entries());
    test.entries()
        .forEach(
            (key, value) ->
                entries.merge(key, value, (below, above) -> together(key, below, above)));
    return new Value(entries, test.place(), keys(set, test));
  }

  private Value together(String key, Value below, Value above) {
    return switch (key) {
      case "assert" ->
          new Value(joined(below.oneOrMore(), above.oneOrMore()), above.place(), Map.of());
      case "vars" -> overlaid(variables.loaded(below), variables.loaded(above));
      case "options", "metadata" -> below.isMapping() ? overlaid(below, above) : above;
      default -> above;
    };
  }

  private static Value overlaid(Value below, Value above) {
    Map<String, Value> entries = new LinkedHashMap<>(below.entries());
    entries.putAll(above.entries());
    return new Value(entries, above.place(), keys(below, above));
  }

  private static Map<String, Place> keys(Value below, Value above) {
    Map<String, Place> keys = new LinkedHashMap<>(below.keys());
    keys.putAll(above.keys());
    return keys;
  }

  private void add(Value test, Place fallback) {
    if (cases.size() >= MOST_TESTS) {
      problems.add(fallback, "there are more than %d tests".formatted(MOST_TESTS));
      return;
    }
    Section section = section(test, "a test");
    boolean hasOptions = test.member("options").filter(o -> !o.entries().isEmpty()).isPresent();
    TestOptions options =
        hasOptions ? options(merged(onlyOptions(defaults), test), false) : defaultOptions;
    AssertionReader.Read own =
        test.member("assert").map(assertions::read).orElse(AssertionReader.Read.NONE);
    List<ScriptTemplate> templates = assertions.takeTemplates();
    boolean alone = flag(test, "disableDefaultAsserts");
    int before = cases.size();
    OptionalDouble threshold = section.number("threshold");
    String judging = judging(test, alone);
    for (Map<String, @Nullable Object> vars :
        variables.combinations(
            vars(test),
            flag(test, "disableVarExpansion") || flag(defaults, "disableVarExpansion"))) {
      cases.add(
          new TestCase(
              cases.size() + 1,
              section.text("description").or(this::defaultDescription),
              filled(vars),
              alone ? own.assertions() : joined(defaultAssertions.assertions(), own.assertions()),
              alone
                  ? own.comparisons()
                  : joined(defaultAssertions.comparisons(), own.comparisons()),
              threshold.isPresent() ? threshold : defaultThreshold,
              section.value("providerOutput"),
              section.value("providers").isPresent()
                  ? section.texts("providers")
                  : defaultProviders,
              section.value("prompts").isPresent() ? section.texts("prompts") : defaultPrompts,
              metadata(test),
              options,
              judging,
              test.place()));
    }
    if (cases.size() > before && options.transformVars().isEmpty()) {
      TestCase first = cases.get(before);
      templates.forEach(template -> template.tryWith(first, problems));
      if (!alone) {
        untried.forEach(template -> template.tryWith(first, problems));
        untried = List.of();
      }
    }
  }

  private String judging(Value test, boolean alone) {
    Value whole = merged(defaults, test);
    Value nothing = Value.of(null, test.place());
    List<Value> said = new ArrayList<>();
    said.add(alone ? nothing : defaults.member("assert").orElse(nothing));
    said.add(test.member("assert").orElse(nothing));
    for (String key : List.of("options", "threshold", "providerOutput")) {
      said.add(whole.member(key).orElse(nothing));
    }
    return files.fingerprint(new Value(said, test.place(), Map.of()));
  }

  private Optional<String> defaultDescription() {
    return defaults.member("description").flatMap(Value::text);
  }

  private static Value onlyOptions(Value defaults) {
    Map<String, Value> entries = new LinkedHashMap<>();
    defaults.member("options").ifPresent(options -> entries.put("options", options));
    return new Value(entries, defaults.place(), Map.of());
  }

  private Value vars(Value test) {
    Value none = Value.ofPlain(Map.of(), test.place());
    return overlaid(
        defaults.member("vars").map(variables::loaded).orElse(none),
        test.member("vars").map(variables::loaded).orElse(none));
  }

  private boolean flag(Value test, String option) {
    return test.member("options")
        .flatMap(options -> options.member(option))
        .flatMap(Value::text)
        .filter("true"::equals)
        .isPresent();
  }

  private TestOptions options(Value test, boolean isDefault) {
    Value given = test.member("options").orElse(Value.of(null, test.place()));
    var section = new Section(given, "the options of a test", problems);
    TestOptions read = TestOptions.read(section, scripts, graders, files, isDefault);
    section.ignore(
        "disableVarExpansion", "disableDefaultAsserts", "disableConversationVar", "postprocess");
    section.unsupported("storeOutputAs", "tests do not see each other's outputs here");
    section.unsupported("runSerially", "tests run side by side here");
    section.unsupported("repeat", "give `repeat` in `evaluateOptions`, for all tests");
    section.finish();
    return read;
  }

  /** Tells of the keys that no test has. */
  private Section section(Value test, String what) {
    var section = new Section(test, what, problems);
    section.ignore(
        "description",
        "vars",
        "assert",
        "threshold",
        "options",
        "metadata",
        "providers",
        "prompts",
        "providerOutput");
    section.unsupported("provider", "filter with `providers`, or add one to the configuration");
    section.unsupported("assertScoringFunction", "use weights and a threshold");
    section.finish();
    return section;
  }

  private Map<String, @Nullable Object> metadata(Value test) {
    Map<String, @Nullable Object> metadata = new LinkedHashMap<>();
    for (Value from : List.of(defaults, test)) {
      from.member("metadata")
          .ifPresent(
              given -> given.entries().forEach((key, value) -> metadata.put(key, value.plain())));
    }
    return metadata;
  }

  /** Variables may speak of each other, but of nothing else: they are data. */
  private static Map<String, @Nullable Object> filled(Map<String, @Nullable Object> vars) {
    Map<String, @Nullable Object> filled = new LinkedHashMap<>(vars);
    vars.forEach(
        (name, value) -> {
          if (value instanceof String text && text.contains("{{")) {
            filled.put(name, Templates.renderData(text, filled));
          }
        });
    return filled;
  }

  private static <T> List<T> joined(List<T> first, List<T> second) {
    if (second.isEmpty()) {
      return first;
    }
    List<T> all = new ArrayList<>(first);
    all.addAll(second);
    return all;
  }
}
