package dev.weir.eval.dataset;

import dev.weir.model.ConfigurationException;
import dev.weir.model.Spelling;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Turns rows of a source into a dataset, and says where in the source a bad one is.
 *
 * <p>A row has {@code input}, {@code target} and perhaps {@code id}; other fields are ignored. A
 * row without an id is known by its number, from 1. Not thread-safe.
 */
public final class Rows {

  private static final List<String> REQUIRED = List.of("input", "target");

  private final String source;
  private final List<Sample> samples = new ArrayList<>();
  private final Map<String, String> places = new HashMap<>();

  /**
   * @param source the file, for people
   */
  public Rows(String source) {
    this.source = source;
  }

  /**
   * @param place where in the source the row is, for people: {@code "line 7"}
   */
  public void add(String place, Map<String, String> fields) {
    for (String name : REQUIRED) {
      if (blank(fields.get(name))) {
        throw new ConfigurationException(
            "%s, %s: the row has no `%s`%s".formatted(source, place, name, remedy(name, fields)));
      }
    }
    String given = fields.getOrDefault("id", "").strip();
    String id = given.isEmpty() ? String.valueOf(samples.size() + 1) : given;
    String earlier = places.putIfAbsent(id, place);
    if (earlier != null) {
      throw new ConfigurationException(
          "%s, %s: the id '%s' is taken by %s; ids must be unique"
              .formatted(source, place, id, earlier));
    }
    samples.add(
        new Sample(id, fields.getOrDefault("input", ""), fields.getOrDefault("target", "")));
  }

  public Dataset toDataset() {
    if (samples.isEmpty()) {
      throw new ConfigurationException(
          "%s: the dataset is empty; it needs at least one row with `input` and `target`"
              .formatted(source));
    }
    return new Dataset(samples);
  }

  private static boolean blank(@Nullable String text) {
    return text == null || text.isBlank();
  }

  private static String remedy(String name, Map<String, String> fields) {
    if (fields.containsKey(name)) {
      return "; give it a value, or remove the row";
    }
    return Spelling.nearest(name, fields.keySet())
        .map(near -> "; it has '%s': did you mean '%s'?".formatted(near, name))
        .orElse("; each row needs `input` and `target`");
  }
}
