package dev.weir.eval.dataset;

import dev.weir.model.JsonWords;
import dev.weir.model.Message;
import dev.weir.model.Printable;
import dev.weir.model.Spelling;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Makes a sample of a row. Not thread-safe. */
final class RowReader {

  private final DatasetSpec spec;

  /** What stands between the columns of some files, in words. */
  private static final Map<String, String> SEPARATORS =
      Map.of(";", "semicolons", "\t", "tabs", "|", "vertical bars");

  private final Fields fields;
  private final SampleFiles files;

  RowReader(DatasetSpec spec, SampleFiles files) {
    this.spec = spec;
    this.fields = spec.fields();
    this.files = files;
  }

  /** The id that the row has; empty if none. */
  String id(Map<String, ? extends @Nullable Object> row) throws RowException {
    String id = text(row, fields.id(), "text or a number").strip();
    if (id.length() > Sample.LONGEST_ID) {
      throw new RowException(
          fields.id(),
          "`%s` has %d characters; %d are allowed"
              .formatted(fields.id(), id.length(), Sample.LONGEST_ID));
    }
    if (HalfCharacters.in(id)) {
      throw new RowException(fields.id(), JsonWords.halfCharacter("`%s`".formatted(fields.id())));
    }
    return id;
  }

  /** Whether that id is a number, and not a text of digits. */
  boolean isNumbered(Map<String, ? extends @Nullable Object> row) {
    return row.get(fields.id()) instanceof Number;
  }

  Sample sample(String id, boolean isNumbered, Map<String, ? extends @Nullable Object> row)
      throws RowException {
    List<Message> messages = Messages.read(fields.input(), row.get(fields.input()));
    String input =
        messages.isEmpty()
            ? text(row, fields.input(), "text or a list of messages {role, content}")
            : Messages.question(messages);
    require(!input.isBlank() || !messages.isEmpty(), "input", fields.input(), row);
    List<String> targets = targets(row);
    require(!targets.isEmpty() || !spec.targetsRequired(), "target", fields.target(), row);
    String setup = text(row, fields.setup(), "text");
    return new Sample(
        id,
        input,
        messages,
        targets,
        choices(row),
        metadata(row),
        files(row),
        setup.isBlank() ? Optional.empty() : Optional.of(files.script(fields.setup(), setup)),
        isNumbered);
  }

  private void require(
      boolean met, String field, String column, Map<String, ? extends @Nullable Object> row)
      throws RowException {
    if (!met) {
      throw new RowException(
          column, "the row has no `%s`%s".formatted(column, remedy(field, column, row)));
    }
  }

  private String remedy(String field, String column, Map<String, ? extends @Nullable Object> row) {
    if (row.containsKey(column)) {
      return "; give it a value, or remove the row";
    }
    if (column.equals(field)) {
      return row.isEmpty() ? "; it has no columns" : unnamed(column, row.keySet());
    }
    // A name in the task file is mistyped there.
    return ", which `fields.%s` names%s%s"
        .formatted(field, fields.placeOf(field), Spelling.withAll("It has", column, row.keySet()));
  }

  private static String unnamed(String column, Set<String> columns) {
    if (columns.size() == 1) {
      String only = columns.iterator().next();
      Optional<String> separator = SEPARATORS.keySet().stream().filter(only::contains).findFirst();
      if (separator.isPresent()) {
        return "; its only column is '%s': the columns must be separated by commas, not by %s"
            .formatted(Printable.line(only), SEPARATORS.get(separator.get()));
      }
    }
    return Spelling.nearest(column, columns)
        .map(near -> "; it has '%s': did you mean '%s'?".formatted(Printable.line(near), column))
        .orElseGet(
            () ->
                Spelling.withAll("Its columns are", column, columns)
                    + "; rename one, or name it under `dataset`: `fields: {%s: COLUMN}`"
                        .formatted(column));
  }

  /** Blank ones are as none. */
  private List<String> targets(Map<String, ? extends @Nullable Object> row) throws RowException {
    Object given = row.get(fields.target());
    if (given instanceof List<?> list) {
      return texts(fields.target(), list);
    }
    String target = text(row, fields.target(), "text or a list of texts");
    return target.isBlank() ? List.of() : List.of(target);
  }

  private List<String> choices(Map<String, ? extends @Nullable Object> row) throws RowException {
    if (fields.choices().size() > 1) {
      List<String> choices = new ArrayList<>();
      for (String column : fields.choices()) {
        String choice = text(row, column, "text");
        if (!choice.isBlank()) {
          choices.add(choice);
        }
      }
      return choices;
    }
    String column = fields.choices().getFirst();
    Object given = JsonText.parsed(row.get(column));
    return switch (given) {
      case null -> List.of();
      case List<?> list -> texts(column, list);
      case String text when text.isBlank() -> List.of();
      // Else it would be taken apart at its commas, brackets and all.
      case String text when text.strip().startsWith("[") && text.strip().endsWith("]") ->
          throw new RowException(
              column,
              "`%s` is in brackets, but no list in JSON; write [\"a\", \"b\"] with double quotes, or"
                      .formatted(column)
                  + " a, b without brackets");
      case String text -> separated(text);
      default -> throw new RowException(column, "`%s` must be a list of texts".formatted(column));
    };
  }

  /** As spreadsheets have them; those with commas in them are written as a JSON list. */
  private static List<String> separated(String text) {
    List<String> pieces = new ArrayList<>();
    for (String piece : text.split(",", -1)) {
      pieces.add(piece.strip());
    }
    return pieces;
  }

  private static List<String> texts(String column, List<?> list) throws RowException {
    List<String> texts = new ArrayList<>();
    for (Object item : list) {
      if (item == null || item instanceof List || item instanceof Map) {
        throw new RowException(column, "`%s` must be text or a list of texts".formatted(column));
      }
      texts.add(text(item));
    }
    return texts;
  }

  private Map<String, @Nullable Object> metadata(Map<String, ? extends @Nullable Object> row)
      throws RowException {
    Map<String, @Nullable Object> metadata = new LinkedHashMap<>();
    boolean only = fields.metadata().size() == 1;
    for (String column : fields.metadata()) {
      if (column.equals(Fields.ALL_OTHERS)) {
        List<String> others = fields.others();
        row.forEach(
            (name, value) -> {
              if (!others.contains(name)) {
                metadata.put(name, value);
              }
            });
      } else if (row.containsKey(column)) {
        Object value = only ? JsonText.parsed(row.get(column)) : row.get(column);
        if (only && value instanceof Map<?, ?> map) {
          map.forEach((name, member) -> metadata.put(String.valueOf(name), member));
        } else if (!column.equals("metadata")) {
          metadata.put(column, value);
        } else if (value != null && !value.equals("")) {
          throw new RowException(column, "`metadata` must be a mapping (name: value)");
        }
      }
    }
    return metadata;
  }

  private Map<String, String> files(Map<String, ? extends @Nullable Object> row)
      throws RowException {
    Object given = JsonText.parsed(row.get(fields.files()));
    if (given == null || given.equals("")) {
      return Map.of();
    }
    if (!(given instanceof Map<?, ?> map)) {
      throw new RowException(
          fields.files(),
          "`%s` must be a mapping of paths to texts or files".formatted(fields.files()));
    }
    Map<String, String> resolved = new LinkedHashMap<>();
    for (Map.Entry<?, ?> file : map.entrySet()) {
      if (file.getValue() == null
          || file.getValue() instanceof List
          || file.getValue() instanceof Map) {
        throw new RowException(
            fields.files(),
            "`%s`: what '%s' holds must be text, or file: and a path"
                .formatted(fields.files(), file.getKey()));
      }
      resolved.put(
          String.valueOf(file.getKey()), files.resolve(fields.files(), text(file.getValue())));
    }
    return resolved;
  }

  private static String text(
      Map<String, ? extends @Nullable Object> row, String column, String rule) throws RowException {
    Object given = row.get(column);
    if (given instanceof List || given instanceof Map) {
      throw new RowException(column, "`%s` must be %s".formatted(column, rule));
    }
    return given == null ? "" : text(given);
  }

  /** Numbers as people write them. */
  private static String text(Object value) {
    return value instanceof BigDecimal number && Math.abs(number.scale()) < 20
        ? number.toPlainString()
        : value.toString();
  }
}
