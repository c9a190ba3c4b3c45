package dev.weir.eval.promptfoo;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A value of a configuration that knows its place: text, a number, a flag, nothing, a list or a
 * mapping of them. Immutable.
 *
 * @param data a {@code String}, {@code Number}, {@code Boolean}, {@code List<Value>} or {@code
 *     Map<String, Value>}
 * @param keys where the keys of a mapping stand
 */
record Value(@Nullable Object data, Place place, Map<String, Place> keys) {

  static Value of(@Nullable Object scalar, Place place) {
    return new Value(scalar, place, Map.of());
  }

  /** Made of plain maps, lists and scalars, which all stand at one place. */
  static Value ofPlain(@Nullable Object plain, Place place) {
    return switch (plain) {
      case Map<?, ?> map -> {
        Map<String, Value> members = new LinkedHashMap<>();
        map.forEach((key, value) -> members.put(String.valueOf(key), ofPlain(value, place)));
        yield new Value(members, place, Map.of());
      }
      case List<?> list ->
          new Value(list.stream().map(member -> ofPlain(member, place)).toList(), place, Map.of());
      case null -> of(null, place);
      default -> of(plain, place);
    };
  }

  boolean isMapping() {
    return data instanceof Map;
  }

  boolean isList() {
    return data instanceof List;
  }

  boolean isNothing() {
    return data == null;
  }

  /** The entries of a mapping; of anything else none. */
  @SuppressWarnings("unchecked") // only mappings of values are made
  Map<String, Value> entries() {
    return data instanceof Map ? (Map<String, Value>) data : Map.of();
  }

  /** The members of a list; of anything else none. */
  @SuppressWarnings("unchecked") // only lists of values are made
  List<Value> members() {
    return data instanceof List ? (List<Value>) data : List.of();
  }

  /** The members of a list; anything else is a list of one, nothing an empty one. */
  List<Value> oneOrMore() {
    if (isNothing()) {
      return List.of();
    }
    return isList() ? members() : List.of(this);
  }

  Optional<Value> member(String key) {
    return Optional.ofNullable(entries().get(key)).filter(value -> !value.isNothing());
  }

  Place placeOf(String key) {
    return keys.getOrDefault(key, place);
  }

  /** The text of a scalar, whatever its type. */
  Optional<String> text() {
    return data == null || isList() || isMapping()
        ? Optional.empty()
        : Optional.of(Json.scalarText(data));
  }

  /** Without places: maps, lists and scalars. */
  @Nullable Object plain() {
    if (isMapping()) {
      Map<String, @Nullable Object> members = new LinkedHashMap<>();
      entries().forEach((key, value) -> members.put(key, value.plain()));
      return members;
    }
    if (isList()) {
      List<@Nullable Object> members = new ArrayList<>();
      members().forEach(value -> members.add(value.plain()));
      return members;
    }
    return data;
  }
}
