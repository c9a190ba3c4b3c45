package dev.weir.eval.dataset;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Which columns of a source make up a sample.
 *
 * @param choices one column that holds a list, or a column for each choice
 * @param metadata columns to keep; {@code *} stands for all that are nothing else. One that holds a
 *     mapping is kept member by member if it is the only one
 * @param places where columns were named, by field, for people: {@code "t.yaml, line 4, column 9"}
 */
public record Fields(
    String input,
    String target,
    List<String> choices,
    String id,
    List<String> metadata,
    String files,
    String setup,
    Map<String, String> places) {

  /** All columns that are nothing else. */
  public static final String ALL_OTHERS = "*";

  /** Columns that are called as what they are. */
  public static final Fields DEFAULT =
      new Fields(
          "input",
          "target",
          List.of("choices"),
          "id",
          List.of("metadata"),
          "files",
          "setup",
          Map.of());

  /** What columns can be mapped to. */
  public static final List<String> NAMES =
      List.of("input", "target", "choices", "id", "metadata", "files", "setup");

  public Fields {
    choices = List.copyOf(choices);
    metadata = List.copyOf(metadata);
    places = Map.copyOf(places);
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
      case "input" -> new Fields(column, target, choices, id, metadata, files, setup, places);
      case "target" -> new Fields(input, column, choices, id, metadata, files, setup, places);
      case "choices" -> new Fields(input, target, columns, id, metadata, files, setup, places);
      case "id" -> new Fields(input, target, choices, column, metadata, files, setup, places);
      case "metadata" -> new Fields(input, target, choices, id, columns, files, setup, places);
      case "files" -> new Fields(input, target, choices, id, metadata, column, setup, places);
      case "setup" -> new Fields(input, target, choices, id, metadata, files, column, places);
      default -> throw new IllegalArgumentException("there is no field '%s'".formatted(name));
    };
  }

  /** The same, with where a field was named. */
  public Fields placed(String name, String place) {
    Map<String, String> all = new LinkedHashMap<>(places);
    all.put(name, place);
    return new Fields(input, target, choices, id, metadata, files, setup, all);
  }

  /** Where a field was named, in brackets; empty if nobody knows. */
  String placeOf(String name) {
    String place = places.get(name);
    return place == null ? "" : " (%s)".formatted(place);
  }

  /** The name of the field that a column was named for. */
  String fieldOf(String column) {
    if (metadata.contains(column)) {
      return "metadata";
    }
    if (choices.contains(column)) {
      return "choices";
    }
    Map<String, String> single =
        Map.of("input", input, "target", target, "id", id, "files", files, "setup", setup);
    return single.entrySet().stream()
        .filter(entry -> entry.getValue().equals(column))
        .map(Map.Entry::getKey)
        .findFirst()
        .orElse("");
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
