package dev.weir.eval.option;

import dev.weir.model.ConfigurationException;
import java.util.List;

/**
 * Of two options of a selection that do not go together, the one that is given closer to the
 * command wins: the command line over the environment, that over the file. Those of one place are
 * left for {@link SelectionOptions#parse} to refuse.
 */
final class OptionPrecedence {

  /**
   * An option that may win over another. No budget is among the losers: what would be spent without
   * it must not come as a surprise.
   */
  private record Pair(String winner, String loser) {}

  private static final List<Pair> PAIRS =
      List.of(
          new Pair("sequential", "max-concurrent"),
          new Pair("max-concurrent", "sequential"),
          new Pair("failures", "attempts"),
          new Pair("budget", "speculate"),
          new Pair("schedule", "speculate"),
          new Pair("speculate", "schedule"));

  private OptionPrecedence() {}

  /** The same settings without those that lose against another. */
  static Settings settled(Settings settings) {
    Settings settled = settings;
    for (Pair pair : PAIRS) {
      boolean areGiven =
          settled.word(pair.winner).isPresent() && settled.word(pair.loser).isPresent();
      if (areGiven
          && closeness(settled, pair.winner) > closeness(settled, pair.loser)
          && !goTogether(settled, pair)) {
        settled = settled.without(pair.loser);
      }
    }
    return settled;
  }

  private static boolean goTogether(Settings settings, Pair pair) {
    Settings both = Settings.NONE;
    for (String name : List.of(pair.winner, pair.loser)) {
      Option option = Options.named(name);
      Settings.Setting setting = settings.setting(option).orElseThrow();
      both = both.with(option, setting.word(), setting.origin());
    }
    try {
      SelectionOptions.requireFitting(both);
      return true;
    } catch (ConfigurationException apart) {
      return false;
    }
  }

  /** How close to the command an option is given. */
  private static int closeness(Settings settings, String name) {
    Option option = Options.named(name);
    String origin = settings.setting(option).map(Settings.Setting::origin).orElse("");
    return origin.startsWith("-") ? 2 : origin.equals(option.variable()) ? 1 : 0;
  }
}
