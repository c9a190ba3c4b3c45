package dev.weir.eval.promptfoo;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds the tests that a configuration names: in itself, and in CSV, JSON, JSONL and YAML files.
 */
final class TestFiles {

  private static final Pattern EXPECTED = Pattern.compile("__expected(\\d*)");
  private static final Pattern CONFIG = Pattern.compile("__config:__expected(\\d*):(\\w+)");
  private static final String METADATA = "__metadata:";

  private final ConfigFiles files;
  private final Problems problems;

  TestFiles(ConfigFiles files, Problems problems) {
    this.files = files;
    this.problems = problems;
  }

  /** All tests, each a mapping. */
  List<Value> all(Value tests) {
    List<Value> found = new ArrayList<>();
    for (Value test : tests.oneOrMore()) {
      if (test.isMapping() && test.member("path").isEmpty()) {
        found.add(test);
        continue;
      }
      Optional<String> reference =
          test.isMapping() ? test.member("path").flatMap(Value::text) : test.text();
      if (reference.isEmpty()) {
        problems.add(test.place(), "a test must be a mapping, or name a file");
      } else if (test.isMapping() && test.member("config").isPresent()) {
        problems.unsupported(
            test.placeOf("config"),
            "`config` for tests from '%s'".formatted(reference.get()),
            "use a CSV, JSON, JSONL or YAML file");
      } else {
        addFiles(reference.get(), test.place(), found);
      }
    }
    return found;
  }

  private void addFiles(String reference, Place place, List<Value> found) {
    if (reference.matches("(https?|huggingface|az)://.*|.*\\.(xlsx?|[cm]?js|ts|py)(#.*|:\\w+)?")) {
      problems.unsupported(
          place, "tests from '%s'".formatted(reference), "use a CSV, JSON, JSONL or YAML file");
      return;
    }
    for (Path file : files.find(reference, place)) {
      switch (ConfigFiles.ending(file)) {
        case "csv" -> CsvTable.read(file, place, problems).forEach(row -> found.add(ofRow(row)));
        case "jsonl" -> addLines(file, place, found);
        case "json" -> files.rawData(file, place).ifPresent(data -> found.addAll(data.oneOrMore()));
        case "yaml", "yml" ->
            files.data(file, place).ifPresent(data -> found.addAll(data.oneOrMore()));
        default ->
            problems.unsupported(
                place, "a file of tests like %s".formatted(file), "use CSV, JSON, JSONL or YAML");
      }
    }
  }

  private void addLines(Path file, Place place, List<Value> found) {
    int number = 0;
    for (String line :
        files.text(file, place).map(text -> text.lines().toList()).orElse(List.of())) {
      number++;
      if (line.isBlank()) {
        continue;
      }
      Place at = Place.line(file, number);
      Json.parse(line)
          .ifPresentOrElse(
              parsed -> found.add(Value.ofPlain(parsed.data(), at)),
              () -> problems.add(at, "this line is no JSON"));
    }
  }

  /** Columns are variables, except those that begin with two underscores. */
  private Value ofRow(CsvTable.Row row) {
    Map<String, Object> vars = new LinkedHashMap<>();
    Map<String, Object> metadata = new LinkedHashMap<>();
    Map<String, Object> options = new LinkedHashMap<>();
    Map<String, Object> test = new LinkedHashMap<>();
    Map<Integer, Map<String, Object>> assertions = new LinkedHashMap<>();
    row.fields()
        .forEach(
            (column, text) -> {
              Matcher expected = EXPECTED.matcher(column);
              if (!column.startsWith("__")) {
                vars.put(column, text);
              } else if (text.isBlank()) {
                return;
              } else if (expected.matches()) {
                assertions
                    .computeIfAbsent(index(expected.group(1)), _ -> new LinkedHashMap<>())
                    .putAll(plain(ExpectedText.parse(text, row.place())));
              } else if (column.startsWith(METADATA)) {
                String key = column.substring(METADATA.length());
                metadata.put(
                    key.replace("[]", ""), key.endsWith("[]") ? TextChecks.split(text) : text);
              } else {
                special(column, text, test, options, row.place());
              }
            });
    row.fields()
        .forEach(
            (column, text) -> {
              Matcher config = CONFIG.matcher(column);
              if (config.matches() && !text.isBlank()) {
                Map<String, Object> assertion = assertions.get(index(config.group(1)));
                if (assertion != null) {
                  assertion.put(String.valueOf(config.group(2)), text.strip());
                }
              }
            });
    Optional.ofNullable(row.fields().get("__metric"))
        .filter(metric -> !metric.isBlank())
        .ifPresent(metric -> assertions.values().forEach(a -> a.put("metric", metric)));
    test.put("vars", vars);
    test.put("assert", List.copyOf(assertions.values()));
    test.put("metadata", metadata);
    test.put("options", options);
    return Value.ofPlain(test, row.place());
  }

  private void special(
      String column,
      String text,
      Map<String, Object> test,
      Map<String, Object> options,
      Place place) {
    switch (column) {
      case "__description" -> test.put("description", text);
      case "__threshold" -> test.put("threshold", text.strip());
      case "__providerOutput" -> test.put("providerOutput", text);
      case "__prefix" -> options.put("prefix", text);
      case "__suffix" -> options.put("suffix", text);
      case "__metric" -> {}
      default -> {
        if (!CONFIG.matcher(column).matches()) {
          problems.add(place, "there is no column '%s'".formatted(column));
        }
      }
    }
  }

  private static int index(@org.jspecify.annotations.Nullable String digits) {
    return digits == null || digits.isEmpty() || digits.length() > 6 ? 0 : Integer.parseInt(digits);
  }

  @SuppressWarnings("unchecked") // an assertion is a mapping
  private static Map<String, Object> plain(Value assertion) {
    return (Map<String, Object>) java.util.Objects.requireNonNull(assertion.plain());
  }
}
