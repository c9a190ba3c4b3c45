package dev.weir.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import tools.jackson.core.JacksonException;
import tools.jackson.core.io.JsonStringEncoder;

/**
 * JSON that is written by hand, for a fraction of the work that reflection and trees take: there is
 * one for each sample. Names come with their punctuation, as in {@code ,"epoch":}.
 */
final class JsonText {

  private static final int USUAL_LENGTH = 4_096;

  private static final JsonStringEncoder QUOTES = JsonStringEncoder.getInstance();

  private final StringBuilder out = new StringBuilder(USUAL_LENGTH);

  /** What is JSON already, or a part of it. */
  JsonText add(String json) {
    out.append(json);
    return this;
  }

  JsonText text(String name, String value) {
    out.append(name);
    return text(value);
  }

  /** Nothing if there is no value. */
  JsonText text(String name, Optional<String> value) {
    return value.isPresent() ? text(name, value.get()) : this;
  }

  JsonText text(String value) {
    out.append('"');
    QUOTES.quoteAsString(value, out);
    out.append('"');
    return this;
  }

  JsonText flag(String name, boolean value) {
    out.append(name).append(value);
    return this;
  }

  JsonText number(String name, long value) {
    out.append(name).append(value);
    return this;
  }

  /** What is no number stands in quotes, since JSON has no name for it. */
  JsonText number(String name, double value) {
    out.append(name);
    if (Double.isFinite(value)) {
      out.append(value);
    } else {
      out.append('"').append(value).append('"');
    }
    return this;
  }

  /**
   * Seconds that were counted in nanoseconds: written with as many digits, which takes less than to
   * find the fewest digits of a fraction. Read again, it is the same number.
   */
  JsonText seconds(String name, double value) {
    long nanos = Math.round(value * 1e9);
    if (nanos < 0 || nanos / 1e9 != value) {
      return number(name, value);
    }
    out.append(name).append(nanos / 1_000_000_000).append('.');
    int fraction = (int) (nanos % 1_000_000_000);
    int highest = 100_000_000;
    while (highest > 1 && fraction % 10 == 0) {
      fraction /= 10;
      highest /= 10;
    }
    digits(fraction, highest);
    return this;
  }

  JsonText number(String name, BigDecimal value) {
    out.append(name).append(value);
    return this;
  }

  /** To the microsecond and with an offset, as readers of Inspect's logs want it. */
  JsonText time(String name, Instant value) {
    LocalDateTime time = LocalDateTime.ofInstant(value, ZoneOffset.UTC);
    out.append(name).append('"');
    digits(time.getYear(), 1_000);
    out.append('-');
    digits(time.getMonthValue(), 10);
    out.append('-');
    digits(time.getDayOfMonth(), 10);
    out.append('T');
    digits(time.getHour(), 10);
    out.append(':');
    digits(time.getMinute(), 10);
    out.append(':');
    digits(time.getSecond(), 10);
    out.append('.');
    digits(time.getNano() / 1_000, 100_000);
    out.append("+00:00\"");
    return this;
  }

  private void digits(int value, int highest) {
    for (int place = highest; place > 0; place /= 10) {
      out.append((char) ('0' + value / place % 10));
    }
  }

  <T> JsonText list(String name, List<T> values, Consumer<T> write) {
    out.append(name).append('[');
    for (int i = 0; i < values.size(); i++) {
      if (i > 0) {
        out.append(',');
      }
      write.accept(values.get(i));
    }
    out.append(']');
    return this;
  }

  JsonText texts(String name, List<String> values) {
    return list(name, values, this::text);
  }

  <T> JsonText map(String name, Map<String, T> values, Consumer<T> write) {
    out.append(name).append('{');
    String comma = "";
    for (Map.Entry<String, T> value : values.entrySet()) {
      out.append(comma);
      text(value.getKey());
      out.append(':');
      write.accept(value.getValue());
      comma = ",";
    }
    out.append('}');
    return this;
  }

  /**
   * What may be anything is for the library to write. What cannot be written is told in its place:
   * what a solver leaves behind is no reason to lose a sample.
   */
  JsonText any(String name, Object value) {
    out.append(name);
    if (value instanceof Map<?, ?> map && map.isEmpty()) {
      out.append("{}");
      return this;
    }
    try {
      out.append(LogJson.VALUES.writeValueAsString(value));
    } catch (JacksonException | StackOverflowError unwritable) {
      if (value instanceof Map<?, ?> map) {
        eachOf(map);
      } else {
        text(notWritten(unwritable));
      }
    }
    return this;
  }

  private void eachOf(Map<?, ?> map) {
    String comma = "{";
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      out.append(comma);
      text(String.valueOf(entry.getKey()));
      out.append(':');
      try {
        out.append(LogJson.VALUES.writeValueAsString(entry.getValue()));
      } catch (JacksonException | StackOverflowError unwritable) {
        text(notWritten(unwritable));
      }
      comma = ",";
    }
    out.append('}');
  }

  private static String notWritten(Throwable why) {
    String reason =
        why instanceof JacksonException problem
            ? String.valueOf(problem.getOriginalMessage())
            : "it contains itself";
    return "[not written: %s]".formatted(reason.lines().findFirst().orElse(""));
  }

  int length() {
    return out.length();
  }

  /** How many bytes the first so many characters take. */
  int bytesOf(int length) {
    return out.substring(0, length).getBytes(UTF_8).length;
  }

  /** As UTF-8; half a character, which no encoding has, becomes a question mark. */
  byte[] bytes() {
    return out.toString().getBytes(UTF_8);
  }

  @Override
  public String toString() {
    return out.toString();
  }
}
