package dev.weir.eval.dataset;

import dev.weir.model.ConfigurationException;
import dev.weir.model.Printable;
import dev.weir.model.Spelling;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Turns rows of a source into a dataset, and says where in the source a bad one is.
 *
 * <p>A row without an id is known by its number, from 1. Not thread-safe.
 */
public final class Rows {

  /** Columns that are remembered for the sake of errors. */
  private static final int MOST_COLUMNS = 1_000;

  private final String source;
  private final DatasetSpec spec;
  private final RowReader reader;
  private final List<Sample> samples = new ArrayList<>();
  private final Map<String, String> places = new HashMap<>();
  private final Set<String> columns = new LinkedHashSet<>();

  /**
   * @param source the file, for people
   * @param directory what relative paths in rows start from
   */
  public Rows(String source, DatasetSpec spec, Path directory) {
    this.source = source;
    this.spec = spec;
    this.reader = new RowReader(spec, new SampleFiles(directory));
  }

  /**
   * As {@link #add(RowPlace, Map)}, with nothing known of where single values are.
   *
   * @throws ConfigurationException if the row is no sample, with its place
   */
  public void add(String place, Map<String, ? extends @Nullable Object> row) {
    add(() -> place, row);
  }

  /**
   * @param place where in the source the row is
   * @param row texts, numbers, booleans, lists and maps of them, or null, by column
   * @throws ConfigurationException if the row is no sample, with its place
   */
  public void add(RowPlace place, Map<String, ? extends @Nullable Object> row) {
    try {
      add(place, HalfCharacters.marked(row), reader.id(row));
    } catch (RowException wrong) {
      throw problem(place.of(wrong.column()), String.valueOf(wrong.getMessage()));
    }
  }

  /**
   * Adds a row that has a name of its own, such as that of a file; its column wins over it.
   *
   * @throws ConfigurationException if the row is no sample, with its place
   */
  void addNamed(RowPlace place, String name, Map<String, ? extends @Nullable Object> row) {
    try {
      String id = reader.id(row);
      add(place, HalfCharacters.marked(row), id.isEmpty() ? HalfCharacters.marked(name) : id);
    } catch (RowException wrong) {
      throw problem(place.of(wrong.column()), String.valueOf(wrong.getMessage()));
    }
  }

  private void add(RowPlace place, Map<String, ? extends @Nullable Object> row, String given)
      throws RowException {
    boolean isCounted = given.isEmpty() || spec.autoId();
    String id = isCounted ? String.valueOf(samples.size() + 1) : given;
    samples.add(reader.sample(id, isCounted || reader.isNumbered(row), row));
    String earlier = places.putIfAbsent(id, place.words());
    if (earlier != null) {
      throw new RowException(
          spec.fields().id(),
          "`%s`: the id '%s' is taken by %s; ids must be unique"
                  .formatted(spec.fields().id(), Printable.line(id), earlier)
              + (given.isEmpty() ? "" : ", or `auto_id: true` numbers the samples"));
    }
    if (columns.size() < MOST_COLUMNS) {
      columns.addAll(row.keySet());
    }
  }

  /**
   * @throws ConfigurationException if there is no row, a column that was named is in none, or none
   *     is selected
   */
  public Dataset toDataset() {
    if (samples.isEmpty()) {
      throw new ConfigurationException(
          "%s: the dataset is empty; it needs at least one row with `input` and `target`"
              .formatted(source));
    }
    for (String named : spec.fields().named()) {
      if (!columns.contains(named) && columns.size() < MOST_COLUMNS) {
        throw new ConfigurationException(
            "%s: no row has the column '%s' that `fields.%s` names%s%s"
                .formatted(
                    source,
                    named,
                    spec.fields().fieldOf(named),
                    spec.fields().placeOf(spec.fields().fieldOf(named)),
                    Spelling.withAll("There are", named, columns)));
      }
    }
    try {
      return spec.selection().of(new Dataset(samples, new Dataset.Places(source, places)));
    } catch (ConfigurationException nothing) {
      throw new ConfigurationException("%s: %s".formatted(source, nothing.getMessage()), nothing);
    }
  }

  /** An error at a place of the source. */
  public ConfigurationException problem(String place, String problem) {
    return new ConfigurationException("%s, %s: %s".formatted(source, place, problem));
  }
}
