package dev.weir.eval.task;

import dev.weir.eval.dataset.Dataset;
import dev.weir.eval.dataset.DatasetFile;
import dev.weir.eval.dataset.DatasetSpec;
import dev.weir.eval.dataset.Fields;
import dev.weir.eval.dataset.RowPlace;
import dev.weir.eval.dataset.Rows;
import dev.weir.eval.dataset.Selection;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Spelling;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.Node;

/** The dataset of a task file: a file or folder, a list, or a mapping with either and settings. */
final class DatasetEntry {

  /** Keys of the mapping, in the order to show them. */
  static final List<String> KEYS =
      List.of("file", "samples", "format", "fields", "limit", "shuffle", "sample_id", "auto_id");

  /** What is read instead of a file. */
  private static final String STDIN = "-";

  private static final long USUAL_SEED = 0;

  private final YamlFile yaml;
  private final Supplier<InputStream> stdin;
  private final DatasetSpec usual;

  DatasetEntry(YamlFile yaml, Supplier<InputStream> stdin, boolean targetsRequired) {
    this.yaml = yaml;
    this.stdin = stdin;
    this.usual = DatasetSpec.DEFAULT.withTargetsRequired(targetsRequired);
  }

  Dataset read(Node node) {
    if (yaml.isSequence(node)) {
      return inline(node, usual);
    }
    if (!yaml.isMapping(node)) {
      return file(node, "`dataset`", usual);
    }
    Map<String, Node> entries = yaml.mapping(node, "`dataset`", KEYS);
    Node file = entries.get("file");
    Node samples = entries.get("samples");
    DatasetSpec spec = spec(entries);
    if (file != null && samples == null) {
      return file(file, "`dataset.file`", spec);
    }
    if (samples != null && file == null) {
      return inline(samples, spec);
    }
    throw YamlFile.problem(
        node, "`dataset` must have either `file`, a file or folder, or `samples`, a list");
  }

  /** The file that samples are read from, if it is one. */
  Optional<String> location(Node node) {
    Node file = yaml.isMapping(node) ? yaml.mapping(node, "`dataset`", KEYS).get("file") : node;
    if (file == null || yaml.isSequence(file)) {
      return Optional.empty();
    }
    String text = yaml.text(file, "`dataset`");
    return text.equals(STDIN)
        ? Optional.empty()
        : Optional.of(yaml.resolve(file, "`dataset`", text).toString());
  }

  private Dataset file(Node node, String key, DatasetSpec spec) {
    String text = yaml.text(node, key);
    if (text.equals(STDIN)) {
      return told(
          node,
          key,
          "standard input",
          () -> DatasetFile.read(stdin.get(), "standard input", spec, yaml.directory(node)));
    }
    hint(text)
        .ifPresent(
            hint -> {
              throw YamlFile.problem(node, "%s: '%s' %s".formatted(key, text, hint));
            });
    Path file = yaml.resolve(node, key, text);
    return told(node, key, file.toString(), () -> DatasetFile.read(file, spec));
  }

  /** What people write for a path that is none. */
  private static Optional<String> hint(String text) {
    if (text.matches("(?s)[“”‘’„].*")) {
      return Optional.of(
          "has curly quotes, which are part of the name; use straight ones, or none");
    }
    if (text.matches("[a-z][a-z0-9+]+://.*")) {
      return Optional.of("is an address; datasets are read from files, so download it first");
    }
    return text.startsWith("~/")
        ? Optional.of("begins with ~, which means nothing here; write ${HOME} for it")
        : Optional.empty();
  }

  /** A problem of a row is told with its line; one of the file, with where that is named. */
  private static Dataset told(Node node, String key, String source, Supplier<Dataset> reading) {
    try {
      return reading.get();
    } catch (ConfigurationException wrong) {
      String message = String.valueOf(wrong.getMessage());
      throw message.startsWith(source + ", ")
          ? wrong
          : YamlFile.problem(node, "%s: %s".formatted(key, message));
    }
  }

  private Dataset inline(Node node, DatasetSpec spec) {
    List<Node> given = yaml.sequence(node, "`samples`");
    if (given.isEmpty()) {
      throw YamlFile.problem(
          node, "`dataset` is empty; it needs at least one row with `input` and `target`");
    }
    var rows = new Rows(YamlTree.file(node).toString(), spec, yaml.directory(node));
    for (Node row : given) {
      Map<String, Node> members = mapping(row, spec);
      Map<String, @Nullable Object> fields = new LinkedHashMap<>();
      members.forEach((key, value) -> fields.put(key, yaml.value(value)));
      rows.add(new Place(yaml.placeOf(row), members, yaml), fields);
    }
    return rows.toDataset();
  }

  private record Place(String words, Map<String, Node> members, YamlFile yaml) implements RowPlace {

    @Override
    public String of(String column) {
      Node value = members.get(column);
      return value == null ? words : yaml.placeOf(value);
    }
  }

  /** Rows that are written for the task have nothing but what it knows; data with columns may. */
  private Map<String, Node> mapping(Node row, DatasetSpec spec) {
    Map<String, Node> entries = yaml.mapping(row, "a row of `dataset`");
    if (spec.fields().equals(Fields.DEFAULT)) {
      for (String key : entries.keySet()) {
        if (!Fields.NAMES.contains(key)) {
          throw YamlFile.problem(
              yaml.keyNode(row, key),
              "unknown key '%s' of a sample%s"
                  .formatted(
                      key,
                      Spelling.nearest(key, Fields.NAMES)
                          .map("; did you mean '%s'?"::formatted)
                          .orElse("; what else is known of it belongs below `metadata`")));
        }
      }
    }
    return entries;
  }

  private DatasetSpec spec(Map<String, Node> entries) {
    DatasetSpec spec = usual.withSelection(selection(entries)).withFields(fields(entries));
    Node format = entries.get("format");
    Node autoId = entries.get("auto_id");
    if (format != null) {
      String name = yaml.text(format, "`format`");
      if (!DatasetFile.FORMATS.contains(name)) {
        throw YamlFile.problem(
            format,
            "there is no format '%s'%s".formatted(name, Spelling.hint(name, DatasetFile.FORMATS)));
      }
      spec = spec.withFormat(name);
    }
    return autoId == null ? spec : spec.withAutoId(flag(autoId, "`auto_id`"));
  }

  private boolean flag(Node node, String what) {
    String text = yaml.text(node, what);
    return switch (text) {
      case "true" -> true;
      case "false" -> false;
      default ->
          throw YamlFile.problem(node, "%s must be true or false, was '%s'".formatted(what, text));
    };
  }

  private Fields fields(Map<String, Node> entries) {
    Node node = entries.get("fields");
    Fields fields = Fields.DEFAULT;
    if (node == null) {
      return fields;
    }
    for (Map.Entry<String, Node> field : yaml.mapping(node, "`fields`", Fields.NAMES).entrySet()) {
      List<String> columns = texts(field.getValue(), "`%s`".formatted(field.getKey()));
      boolean mayBeSeveral = field.getKey().equals("choices") || field.getKey().equals("metadata");
      if (columns.isEmpty() || (columns.size() > 1 && !mayBeSeveral)) {
        throw YamlFile.problem(
            field.getValue(),
            "`%s` must be the name of a column%s"
                .formatted(field.getKey(), mayBeSeveral ? ", or a list of them" : ""));
      }
      fields =
          fields
              .with(field.getKey(), columns)
              .placed(
                  field.getKey(),
                  "%s, %s"
                      .formatted(YamlTree.file(field.getValue()), yaml.placeOf(field.getValue())));
    }
    return fields;
  }

  private List<String> texts(Node node, String what) {
    List<String> texts = new ArrayList<>();
    yaml.items(node).forEach(item -> texts.add(yaml.text(item, what)));
    return texts;
  }

  private Selection selection(Map<String, Node> entries) {
    Node ids = entries.get("sample_id");
    Node shuffle = entries.get("shuffle");
    Node limit = entries.get("limit");
    int[] range = limit == null ? new int[] {1, Integer.MAX_VALUE} : range(limit);
    return new Selection(
        ids == null ? List.of() : texts(ids, "`sample_id`"),
        shuffle == null ? Optional.empty() : seed(shuffle),
        range[0],
        range[1]);
  }

  /** The same order each time, or a number would depend on chance. */
  private Optional<Long> seed(Node node) {
    String text = yaml.text(node, "`shuffle`");
    if (text.equals("true") || text.equals("false")) {
      return text.equals("true") ? Optional.of(USUAL_SEED) : Optional.empty();
    }
    if (!text.matches("-?\\d{1,18}")) {
      throw YamlFile.problem(
          node, "`shuffle` must be true, false or a seed, was '%s'".formatted(text));
    }
    return Optional.of(Long.parseLong(text));
  }

  private int[] range(Node node) {
    String text = yaml.text(node, "`limit`");
    if (text.matches("(?:\\d{1,9}-)?\\d{1,9}")) {
      int dash = text.indexOf('-');
      int first = dash < 0 ? 1 : Integer.parseInt(text.substring(0, dash));
      int last = Integer.parseInt(text.substring(dash + 1));
      if (first >= 1 && last >= first) {
        return new int[] {first, last};
      }
    }
    throw YamlFile.problem(
        node,
        "`limit` must be a whole number from 1, or a range such as 11-20, was '%s'"
            .formatted(text));
  }
}
