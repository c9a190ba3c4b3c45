package dev.weir.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * One direction of a plot: from numbers to places.
 *
 * @param low the number at the beginning
 * @param high the number at the end
 * @param logarithmic whether equal distances are equal factors
 * @param from the place of the beginning
 * @param to the place of the end
 */
record Axis(double low, double high, boolean logarithmic, double from, double to) {

  /** Numbers that are further apart than that are not told from each other otherwise. */
  private static final double FAR_APART = 20;

  private static final int MOST_TICKS = 6;

  /** For all of these numbers, with some room. */
  static Axis of(double least, double most, double from, double to) {
    if (least > 0 && most / least > FAR_APART) {
      return new Axis(least / 1.3, most * 1.3, true, from, to);
    }
    double room = most > least ? 0.06 * (most - least) : Math.max(Math.abs(most) * 0.1, 0.01);
    return new Axis(
        least >= 0 ? Math.max(0, least - room) : least - room, most + room, false, from, to);
  }

  /** For shares, of which there are none below 0 or above 1. */
  static Axis ofShares(double least, double most, double from, double to) {
    double room = Math.max(0.02, 0.06 * (most - least));
    return new Axis(Math.max(0, least - room), Math.min(1, most + room), false, from, to);
  }

  double place(double number) {
    double share =
        logarithmic ? Math.log(number / low) / Math.log(high / low) : (number - low) / (high - low);
    return from + share * (to - from);
  }

  /** Round numbers to write beside it. */
  List<Double> ticks() {
    List<Double> ticks = logarithmic ? decades(List.of(1, 2, 5)) : steps();
    return ticks.size() > MOST_TICKS && logarithmic ? decades(List.of(1)) : ticks;
  }

  private List<Double> decades(List<Integer> of) {
    List<Double> ticks = new ArrayList<>();
    for (int power = (int) Math.floor(Math.log10(low)); power <= Math.log10(high); power++) {
      for (int digit : of) {
        double tick = digit * Math.pow(10, power);
        if (tick >= low && tick <= high) {
          ticks.add(tick);
        }
      }
    }
    return ticks;
  }

  private List<Double> steps() {
    double step = Math.pow(10, Math.floor(Math.log10((high - low) / 2)));
    for (double factor : new double[] {2, 2.5, 2}) {
      if ((high - low) / step > MOST_TICKS) {
        step *= factor;
      }
    }
    List<Double> ticks = new ArrayList<>();
    for (long i = (long) Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) {
      ticks.add(i * step);
    }
    return ticks;
  }

  /** A place, as it is written in a picture. */
  static String at(double place) {
    return String.format(Locale.ROOT, "%.1f", place);
  }
}
