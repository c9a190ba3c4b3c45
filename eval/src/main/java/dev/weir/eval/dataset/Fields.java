package dev.weir.eval.dataset;

import java.util.ArrayList;
import java.util.List;

/**
 * Which columns of a source make up a sample.
 *
 * @param choices one column that holds a list, or a column for each choice
 * @param metadata columns to keep; {@code *} stands for all that are nothing else. One that holds a
 *     mapping is kept member by member if it is the only one
 */
public record Fields(
    String input,
    String target,
    List<String> choices,
    String id,
    List<String> metadata,
    String files,
    String setup) {

  /** All columns that are nothing else. */
  public static final String ALL_OTHERS = "*";

  /** Columns that are called as what they are. */
  public static final Fields DEFAULT =
      new Fields(
          "input", "target", List.of("choices"), "id", List.of("metadata"), "files", "setup");

  /** What columns can be mapped to. */
  public static final List<String> NAMES =
      List.of("input", "target", "choices", "id", "metadata", "files", "setup");

  public Fields {
    choices = List.copyOf(choices);
    metadata = List.copyOf(metadata);
  }

  /**
   * The same but for one.
   *
   * @param name one of {@link #NAMES}
   * @param columns one; several only for choices and metadata
   */
  public Fields with(String name, List<String> columns) {
    String column = columns.getFirst();
    return switch (name) {
      case "input" -> new Fields(column, target, choices, id, metadata, files, setup);
      case "target" -> new Fields(input, column, choices, id, metadata, files, setup);
      case "choices" -> new Fields(input, target, columns, id, metadata, files, setup);
      case "id" -> new Fields(input, target, choices, column, metadata, files, setup);
      case "metadata" -> new Fields(input, target, choices, id, columns, files, setup);
      case "files" -> new Fields(input, target, choices, id, metadata, column, setup);
      case "setup" -> new Fields(input, target, choices, id, metadata, files, column);
      default -> throw new IllegalArgumentException("there is no field '%s'".formatted(name));
    };
  }

  /** Columns that are something else than metadata. */
  List<String> others() {
    List<String> columns = new ArrayList<>(choices);
    columns.addAll(List.of(input, target, id, files, setup));
    return columns;
  }

  /** Columns that were named, and so must be somewhere. */
  List<String> named() {
    List<String> named = new ArrayList<>(others());
    named.addAll(metadata);
    named.removeAll(NAMES);
    named.remove(ALL_OTHERS);
    return named;
  }
}
