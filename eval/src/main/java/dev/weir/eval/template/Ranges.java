package dev.weir.eval.template;

import com.hubspot.jinjava.lib.fn.ELFunctionDefinition;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

/** The function {@code range}, as in Python; the engine's own cuts what is long without a word. */
final class Ranges {

  static final int LONGEST = 1_000;

  static final String TOO_LONG = "range() makes at most %s numbers".formatted(LONGEST);
  static final String NO_STEP = "the step of range() must not be 0";
  static final String NO_NUMBERS = "range() takes one to three whole numbers";

  private Ranges() {}

  static ELFunctionDefinition function() {
    try {
      Method range = Ranges.class.getDeclaredMethod("range", Object[].class);
      // The engine calls it from its own package.
      range.setAccessible(true);
      return new ELFunctionDefinition("", "range", range);
    } catch (NoSuchMethodException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /** Of (end), (begin, end) or (begin, end, step). */
  static List<Long> range(Object... given) {
    if (given.length < 1 || given.length > 3) {
      throw new IllegalArgumentException(NO_NUMBERS);
    }
    long begin = given.length == 1 ? 0 : whole(given[0]);
    long end = whole(given[given.length == 1 ? 0 : 1]);
    long step = given.length == 3 ? whole(given[2]) : 1;
    if (step == 0) {
      throw new IllegalArgumentException(NO_STEP);
    }
    List<Long> numbers = new ArrayList<>();
    for (long n = begin; step > 0 ? n < end : n > end; n += step) {
      if (numbers.size() == LONGEST) {
        throw new IllegalArgumentException(TOO_LONG);
      }
      numbers.add(n);
    }
    return numbers;
  }

  /** Also of a text, since many datasets have all values as texts. */
  private static long whole(Object given) {
    // Small enough that a thousand steps do not overflow.
    String text = String.valueOf(given).strip();
    if (!text.matches("[+-]?\\d{1,15}")) {
      throw new IllegalArgumentException(NO_NUMBERS);
    }
    return Long.parseLong(text);
  }
}
