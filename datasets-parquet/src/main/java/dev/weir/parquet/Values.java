package dev.weir.parquet;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Array;
import java.sql.Blob;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.duckdb.DuckDBStruct;
import org.jspecify.annotations.Nullable;

/** What the database hands over, as texts, numbers, booleans, lists and maps of them. */
final class Values {

  private Values() {}

  static boolean isBytes(@Nullable Object value) {
    return value instanceof Blob || value instanceof byte[];
  }

  static @Nullable Object plain(@Nullable Object value) throws SQLException {
    return switch (value) {
      case null -> null;
      case String text -> text;
      case Boolean flag -> flag;
      case Byte number -> number.longValue();
      case Short number -> number.longValue();
      case Integer number -> number.longValue();
      case Long number -> number;
      case BigInteger number -> new BigDecimal(number);
      case BigDecimal number -> number;
      // As it is written, without the digits that a longer form would show.
      case Float number -> new BigDecimal(number.toString());
      case Double number when Double.isFinite(number) -> BigDecimal.valueOf(number);
      case Array array -> list(array);
      case DuckDBStruct struct -> map(struct.getMap());
      case Map<?, ?> map -> map(map);
      // Dates, times and the like.
      default -> value.toString();
    };
  }

  private static List<@Nullable Object> list(Array array) throws SQLException {
    List<@Nullable Object> items = new ArrayList<>();
    for (Object item : (Object[]) array.getArray()) {
      if (!isBytes(item)) {
        items.add(plain(item));
      }
    }
    return items;
  }

  private static Map<String, @Nullable Object> map(Map<?, ?> given) throws SQLException {
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    for (Map.Entry<?, ?> member : given.entrySet()) {
      if (!isBytes(member.getValue())) {
        members.put(String.valueOf(member.getKey()), plain(member.getValue()));
      }
    }
    return members;
  }
}
