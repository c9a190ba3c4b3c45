package dev.weir.eval.dataset;

import dev.weir.model.JsonWords;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Halves of characters (surrogates that stand alone), as escapes in JSON can name them: no file in
 * UTF-8 holds them, so that texts that differ in them alone would be one text in the log. Names are
 * refused for them; in other texts a mark takes their place, here and not only in the log.
 */
final class HalfCharacters {

  private static final char MARK = '\uFFFD';

  private HalfCharacters() {}

  static boolean in(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (Character.isSurrogate(text.charAt(i))) {
        if (isHalf(text, i)) {
          return true;
        }
        i++;
      }
    }
    return false;
  }

  /** Whether a surrogate stands alone; of two that belong together the first is asked about. */
  private static boolean isHalf(String text, int i) {
    return !Character.isHighSurrogate(text.charAt(i))
        || i + 1 == text.length()
        || !Character.isLowSurrogate(text.charAt(i + 1));
  }

  /**
   * The row with marks for halves of characters; the same one if there are none.
   *
   * @throws RowException if there are some in a name
   */
  static Map<String, ? extends @Nullable Object> marked(Map<String, ? extends @Nullable Object> row)
      throws RowException {
    boolean areAllWhole = true;
    for (Map.Entry<String, ? extends @Nullable Object> entry : row.entrySet()) {
      areAllWhole &= isWhole(entry.getKey()) && isWhole(entry.getValue());
    }
    return areAllWhole ? row : marked("", row);
  }

  private static boolean isWhole(@Nullable Object value) {
    return switch (value) {
      case null -> true;
      case String text -> !in(text);
      case List<?> list -> list.stream().allMatch(HalfCharacters::isWhole);
      case Map<?, ?> map ->
          map.entrySet().stream()
              .allMatch(entry -> isWhole(entry.getKey()) && isWhole(entry.getValue()));
      default -> true;
    };
  }

  /**
   * @param column of the row; empty if this is the row itself
   */
  private static Map<String, @Nullable Object> marked(String column, Map<?, ?> map)
      throws RowException {
    Map<String, @Nullable Object> marked = new LinkedHashMap<>();
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      String key = String.valueOf(entry.getKey());
      String within = column.isEmpty() ? key : column;
      if (in(key)) {
        throw new RowException(
            within, JsonWords.halfCharacter("the key '%s'".formatted(marked(key))));
      }
      marked.put(key, marked(within, entry.getValue()));
    }
    return marked;
  }

  private static @Nullable Object marked(String column, @Nullable Object value)
      throws RowException {
    return switch (value) {
      case null -> null;
      case String text -> marked(text);
      case List<?> list -> {
        List<@Nullable Object> marked = new ArrayList<>();
        for (Object item : list) {
          marked.add(marked(column, item));
        }
        yield marked;
      }
      case Map<?, ?> map -> marked(column, map);
      default -> value;
    };
  }

  /** The text with marks for halves. */
  static String marked(String text) {
    if (!in(text)) {
      return text;
    }
    return text.codePoints()
        .map(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE ? MARK : c)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }
}
