package dev.weir.eval.dataset;

import dev.weir.model.ConfigurationException;
import java.nio.file.Path;

/**
 * Reads files of a format that is not built in; found with {@link java.util.ServiceLoader}.
 *
 * <p>Thread-safe.
 */
public interface DatasetSource {

  /** The name of the format, with which names of its files end: {@code parquet}. */
  String format();

  /**
   * Hands over all rows, in order. Columns hold texts, numbers, booleans, lists and maps of them,
   * or null.
   *
   * @throws ConfigurationException if the file cannot be read
   */
  void read(Path file, Rows rows);
}
