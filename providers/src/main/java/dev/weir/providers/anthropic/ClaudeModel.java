package dev.weir.providers.anthropic;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the name of a model tells about it.
 *
 * @param kind such as {@code opus}; empty if the name does not tell
 * @param version such as 406 for 4.6; {@link #NEWEST} if the name does not tell
 */
record ClaudeModel(String kind, int version) {

  /** A model that nobody has heard of is taken for a new one. */
  static final int NEWEST = Integer.MAX_VALUE;

  /** From here on, models decide themselves how long they think. */
  private static final int ADAPTIVE_SINCE = 406;

  private static final int XHIGH_SINCE = 407;

  /** {@code claude-opus-4-6}, {@code claude-sonnet-4-20250514}: a date is not a version. */
  private static final Pattern KIND_FIRST =
      Pattern.compile("claude-([a-z]+)-(\\d{1,2})(?!\\d)(?:[-.](\\d{1,2})(?!\\d))?.*");

  /** {@code claude-3-5-haiku-latest}, {@code claude-2.1}. */
  private static final Pattern VERSION_FIRST =
      Pattern.compile("claude-(\\d)(?!\\d)(?:[-.](\\d)(?!\\d))?.*");

  static ClaudeModel of(String name) {
    Matcher kindFirst = KIND_FIRST.matcher(name);
    if (kindFirst.matches()) {
      return new ClaudeModel(
          kindFirst.group(1), version(kindFirst.group(2), Optional.ofNullable(kindFirst.group(3))));
    }
    Matcher versionFirst = VERSION_FIRST.matcher(name);
    return versionFirst.matches()
        ? new ClaudeModel(
            "", version(versionFirst.group(1), Optional.ofNullable(versionFirst.group(2))))
        : new ClaudeModel("", NEWEST);
  }

  private static int version(String major, Optional<String> minor) {
    return Integer.parseInt(major) * 100 + minor.map(Integer::parseInt).orElse(0);
  }

  /** Whether it thinks as long as it finds right, not within a number of tokens that it is told. */
  boolean thinksAsItLikes() {
    return version >= ADAPTIVE_SINCE;
  }

  /** Whether it knows the effort {@code xhigh}; those before only know {@code max} above high. */
  boolean knowsXhigh() {
    return version >= XHIGH_SINCE;
  }

  /**
   * The models among which a limit is shared. Anthropic's table of limits has one row for all Opus
   * 4.x together and one for all Sonnet 4.x; other rows stand for one model each.
   */
  Optional<String> pool() {
    boolean isPooled = (kind.equals("opus") || kind.equals("sonnet")) && version / 100 == 4;
    return isPooled ? Optional.of("claude-" + kind + "-4.x") : Optional.empty();
  }
}
