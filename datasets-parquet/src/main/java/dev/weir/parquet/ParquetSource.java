package dev.weir.parquet;

import dev.weir.eval.dataset.DatasetSource;
import dev.weir.eval.dataset.Rows;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Printable;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import org.duckdb.DuckDBDriver;
import org.jspecify.annotations.Nullable;

/**
 * Reads parquet files with DuckDB, in this process and without network. Columns of bytes are left
 * out: a sample is made of texts.
 */
public final class ParquetSource implements DatasetSource {

  @Override
  public String format() {
    return "parquet";
  }

  @Override
  public void read(Path file, Rows rows) {
    // One thread hands rows over in their order, and few at a time.
    var settings = new Properties();
    settings.setProperty("threads", "1");
    settings.setProperty("memory_limit", "256MB");
    settings.setProperty("autoinstall_known_extensions", "false");
    settings.setProperty("autoload_known_extensions", "false");
    settings.setProperty(DuckDBDriver.JDBC_STREAM_RESULTS, "true");
    try (Connection database = new DuckDBDriver().connect("jdbc:duckdb:", settings);
        PreparedStatement query = database.prepareStatement("SELECT * FROM read_parquet(?)")) {
      query.setString(1, literal(file.toAbsolutePath().toString()));
      try (ResultSet result = query.executeQuery()) {
        read(result, rows);
      }
    } catch (SQLException unreadable) {
      throw new ConfigurationException(
          "%s cannot be read as parquet: %s"
              .formatted(file, Printable.line(String.valueOf(unreadable.getMessage()))),
          unreadable);
    }
  }

  private static void read(ResultSet result, Rows rows) throws SQLException {
    ResultSetMetaData columns = result.getMetaData();
    for (long number = 1; result.next(); number++) {
      Map<String, @Nullable Object> row = new LinkedHashMap<>();
      for (int i = 1; i <= columns.getColumnCount(); i++) {
        Object value = result.getObject(i);
        if (!Values.isBytes(value)) {
          row.put(columns.getColumnName(i), Values.plain(value));
        }
      }
      rows.add("row " + number, row);
    }
  }

  /** The database takes some characters of a name for a pattern. */
  private static String literal(String path) {
    return path.replaceAll("[\\[*?]", "[$0]");
  }
}
