package dev.weir.eval.promptfoo;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The variables of tests: from files, and every combination of those with several values. */
final class Variables {

  private static final int MOST_COMBINATIONS = 100_000;

  private final ConfigFiles files;
  private final Problems problems;

  Variables(ConfigFiles files, Problems problems) {
    this.files = files;
    this.problems = problems;
  }

  /** A mapping, or the files that are named in its place. */
  Value loaded(Value vars) {
    if (vars.isMapping()) {
      return vars;
    }
    Map<String, Value> entries = new LinkedHashMap<>();
    for (Value named : vars.oneOrMore()) {
      for (Path file : files.find(named.text().orElse(""), named.place())) {
        files.rawData(file, named.place()).ifPresent(data -> entries.putAll(data.entries()));
      }
    }
    return new Value(entries, vars.place(), Map.of());
  }

  /**
   * @param asTheyAre whether lists are values, rather than several values
   */
  List<Map<String, @Nullable Object>> combinations(Value vars, boolean asTheyAre) {
    List<Map<String, @Nullable Object>> combinations = new ArrayList<>();
    combinations.add(new LinkedHashMap<>());
    for (Map.Entry<String, Value> variable : vars.entries().entrySet()) {
      List<@Nullable Object> values = values(variable.getValue(), asTheyAre);
      List<Map<String, @Nullable Object>> longer = new ArrayList<>();
      if ((long) combinations.size() * values.size() > MOST_COMBINATIONS) {
        problems.add(
            variable.getValue().place(),
            "the variables of one test have more than %d combinations"
                .formatted(MOST_COMBINATIONS));
        return List.of();
      }
      for (Map<String, @Nullable Object> combination : combinations) {
        for (Object value : values) {
          Map<String, @Nullable Object> one = new LinkedHashMap<>(combination);
          one.put(variable.getKey(), value);
          longer.add(one);
        }
      }
      combinations = longer;
    }
    return combinations;
  }

  private List<@Nullable Object> values(Value value, boolean asTheyAre) {
    List<@Nullable Object> values = new ArrayList<>();
    // As in promptfoo: a list of texts is several values, a list of anything else is one.
    boolean isSeveral =
        value.isList()
            && (value.members().isEmpty() || value.members().getFirst().data() instanceof String);
    if (isSeveral && !asTheyAre && value.members().isEmpty()) {
      // It would be a test without a row, which nobody would miss.
      problems.add(
          value.place(),
          "a list without values leaves no test; give one, or set `disableVarExpansion`");
    }
    if (isSeveral && !asTheyAre) {
      value.members().forEach(member -> values.addAll(values(member)));
    } else {
      values.addAll(
          value.isList() ? java.util.Collections.singletonList(value.plain()) : values(value));
    }
    return values;
  }

  /** One value, or one for each file that it names. */
  private List<@Nullable Object> values(Value value) {
    List<@Nullable Object> values = new ArrayList<>();
    if (!ConfigFiles.isReference(value)) {
      values.add(value.data() instanceof String text ? withoutEnd(text) : value.plain());
      return values;
    }
    for (Path file : files.find(value.text().orElse(""), value.place())) {
      read(file, value.place()).ifPresent(values::add);
    }
    return values;
  }

  private Optional<Object> read(Path file, Place place) {
    return switch (ConfigFiles.ending(file)) {
      case "yaml", "yml" -> files.rawData(file, place).map(data -> Json.write(data.plain()));
      case "js",
          "cjs",
          "mjs",
          "ts",
          "py",
          "pdf",
          "png",
          "jpg",
          "jpeg",
          "gif",
          "webp",
          "mp3",
          "wav",
          "mp4" -> {
        problems.unsupported(
            place, "a variable from %s".formatted(file), "use a text, JSON or YAML file");
        yield Optional.empty();
      }
      default -> files.text(file, place).map(String::strip);
    };
  }

  /** A line break at the very end is an accident of YAML. */
  private static String withoutEnd(String text) {
    return text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
  }
}
