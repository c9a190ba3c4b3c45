package dev.weir.log.json;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * JSON that is written by hand, for a fraction of the work that reflection and trees take: there is
 * one for each sample. Names are ASCII and come with their punctuation, as in {@code ,"epoch":}.
 *
 * <p>Written as UTF-8 from the first: most of it is copied, a text at a time, which is cheap also
 * where the machine code is not the best. Half a character, which no encoding has, becomes a
 * question mark.
 */
public final class JsonText {

  private static final int USUAL_LENGTH = 4_096;

  /** What an array may have. */
  private static final int MOST = Integer.MAX_VALUE - 8;

  private static final int DAY_SECONDS = 86_400;

  /** The beginning of the year 0; the years before it are written with a sign. */
  private static final long SHORT_YEARS = -62_167_219_200L;

  /** The beginning of the year 10000, whose times are written with a sign. */
  private static final long LONG_YEARS = 253_402_300_800L;

  private static final int DATE_LENGTH = 10;

  private static final byte[] HEX = "0123456789ABCDEF".getBytes(ISO_8859_1);

  private byte[] out;
  private int length;

  // Where the last date stands, and of which day it is: the times of a sample share it.
  private int dateAt = -1;
  private long dateOf;

  public JsonText() {
    this(USUAL_LENGTH);
  }

  /**
   * @param usualLength how many bytes there is room for at first
   */
  public JsonText(int usualLength) {
    this.out = new byte[usualLength];
  }

  /** What is JSON already, or a part of it. */
  public JsonText add(String json) {
    byte[] bytes = json.getBytes(UTF_8);
    put(bytes, 0, bytes.length);
    return this;
  }

  public JsonText text(String name, String value) {
    ascii(name);
    return text(value);
  }

  /** Nothing if there is no value. */
  public JsonText text(String name, Optional<String> value) {
    return value.isPresent() ? text(name, value.get()) : this;
  }

  public JsonText text(String value) {
    byte[] bytes = value.getBytes(UTF_8);
    put('"');
    int from = 0;
    for (int i = 0; i < bytes.length; i++) {
      byte b = bytes[i];
      if ((b < ' ' && b >= 0) || b == '"' || b == '\\') {
        put(bytes, from, i - from);
        escape(b);
        from = i + 1;
      }
    }
    put(bytes, from, bytes.length - from);
    put('"');
    return this;
  }

  private void escape(byte b) {
    put('\\');
    switch (b) {
      case '\b' -> put('b');
      case '\t' -> put('t');
      case '\n' -> put('n');
      case '\f' -> put('f');
      case '\r' -> put('r');
      case '"', '\\' -> put(b);
      default -> {
        ascii("u00");
        put(HEX[b >> 4]);
        put(HEX[b & 0xf]);
      }
    }
  }

  public JsonText flag(String name, boolean value) {
    ascii(name);
    ascii(value ? "true" : "false");
    return this;
  }

  public JsonText number(String name, long value) {
    ascii(name);
    digits(value);
    return this;
  }

  /** What is no number stands in quotes, since JSON has no name for it. */
  public JsonText number(String name, double value) {
    ascii(name);
    if (value == (int) value && value < 1e7 && Double.doubleToRawLongBits(value) >= 0) {
      // Most scores are 0 or 1.
      digits((long) value);
      ascii(".0");
    } else if (Double.isFinite(value)) {
      ascii(Double.toString(value));
    } else {
      put('"');
      ascii(Double.toString(value));
      put('"');
    }
    return this;
  }

  /**
   * Seconds that were counted in nanoseconds: written with as many digits, which takes less than to
   * find the fewest digits of a fraction. Read again, it is the same number.
   */
  public JsonText seconds(String name, double value) {
    long nanos = Math.round(value * 1e9);
    if (nanos < 0 || nanos / 1e9 != value) {
      return number(name, value);
    }
    ascii(name);
    long whole = nanos / 1_000_000_000;
    digits(whole);
    put('.');
    int fraction = (int) (nanos - whole * 1_000_000_000);
    int places = 9;
    while (places > 1 && fraction % 10 == 0) {
      fraction /= 10;
      places--;
    }
    digits(fraction, places);
    return this;
  }

  public JsonText number(String name, BigDecimal value) {
    ascii(name);
    ascii(value.toString());
    return this;
  }

  /**
   * To the microsecond and with an offset, as readers of Inspect's logs want it. Years that have no
   * four digits have a sign, as ISO 8601 wants it.
   */
  public JsonText time(String name, Instant value) {
    long second = value.getEpochSecond();
    if (second < SHORT_YEARS || second >= LONG_YEARS) {
      String told = value.truncatedTo(ChronoUnit.MICROS).toString();
      return text(name, told.substring(0, told.length() - 1) + "+00:00");
    }
    ascii(name);
    put('"');
    dateAndTime(second);
    put('.');
    digits(value.getNano() / 1_000, 6);
    ascii("+00:00\"");
    return this;
  }

  /** As {@link Instant#toString} has it. */
  public JsonText instant(String name, Instant value) {
    long second = value.getEpochSecond();
    if (second < 0 || second >= LONG_YEARS) {
      return text(name, value.toString());
    }
    ascii(name);
    put('"');
    dateAndTime(second);
    int fraction = value.getNano();
    if (fraction != 0) {
      int places = 9;
      while (fraction % 1_000 == 0) {
        fraction /= 1_000;
        places -= 3;
      }
      put('.');
      digits(fraction, places);
    }
    ascii("Z\"");
    return this;
  }

  private void dateAndTime(long second) {
    long day = Math.floorDiv(second, DAY_SECONDS);
    date(day);
    int ofDay = (int) (second - day * DAY_SECONDS);
    put('T');
    digits(ofDay / 3_600, 2);
    put(':');
    digits(ofDay / 60 % 60, 2);
    put(':');
    digits(ofDay % 60, 2);
  }

  private void date(long day) {
    int at = length;
    if (dateAt >= 0 && day == dateOf) {
      put(out, dateAt, DATE_LENGTH);
    } else {
      LocalDate date = LocalDate.ofEpochDay(day);
      digits(date.getYear(), 4);
      put('-');
      digits(date.getMonthValue(), 2);
      put('-');
      digits(date.getDayOfMonth(), 2);
    }
    dateAt = at;
    dateOf = day;
  }

  private void digits(long value) {
    if (value < 0 || value > Integer.MAX_VALUE) {
      ascii(Long.toString(value));
      return;
    }
    int places = 1;
    for (long bound = 10; value >= bound; bound *= 10) {
      places++;
    }
    digits((int) value, places);
  }

  /** With zeros in front. */
  private void digits(int value, int places) {
    room(places);
    int rest = value;
    for (int at = length + places - 1; at >= length; at--) {
      int tens = rest / 10;
      out[at] = (byte) ('0' + rest - 10 * tens);
      rest = tens;
    }
    length += places;
  }

  public <T> JsonText list(String name, List<T> values, Consumer<T> write) {
    ascii(name);
    put('[');
    for (int i = 0; i < values.size(); i++) {
      if (i > 0) {
        put(',');
      }
      write.accept(values.get(i));
    }
    put(']');
    return this;
  }

  public JsonText texts(String name, List<String> values) {
    return list(name, values, this::text);
  }

  public <T> JsonText map(String name, Map<String, T> values, Consumer<T> write) {
    ascii(name);
    put('{');
    boolean isFirst = true;
    for (Map.Entry<String, T> value : values.entrySet()) {
      if (!isFirst) {
        put(',');
      }
      isFirst = false;
      text(value.getKey());
      put(':');
      write.accept(value.getValue());
    }
    put('}');
    return this;
  }

  /**
   * What may be anything is for the library to write. What cannot be written is told in its place:
   * what a solver leaves behind is no reason to lose a sample.
   */
  public JsonText any(String name, Object value) {
    ascii(name);
    if (value instanceof Map<?, ?> map && map.isEmpty()) {
      ascii("{}");
      return this;
    }
    return add(ValueJson.written(value));
  }

  private void ascii(String text) {
    // Of the encodings, the one that has nothing to look for.
    byte[] bytes = text.getBytes(ISO_8859_1);
    put(bytes, 0, bytes.length);
  }

  private void put(int b) {
    room(1);
    out[length++] = (byte) b;
  }

  private void put(byte[] bytes, int from, int count) {
    room(count);
    System.arraycopy(bytes, from, out, length, count);
    length += count;
  }

  private void room(int more) {
    if (more > out.length - length) {
      int needed = Math.addExact(length, more);
      out = Arrays.copyOf(out, Math.max(needed, (int) Math.min(2L * out.length, MOST)));
    }
  }

  /** How many bytes there are. */
  public int length() {
    return length;
  }

  /** As UTF-8. */
  public byte[] bytes() {
    return Arrays.copyOf(out, length);
  }

  @Override
  public String toString() {
    return new String(out, 0, length, UTF_8);
  }
}
