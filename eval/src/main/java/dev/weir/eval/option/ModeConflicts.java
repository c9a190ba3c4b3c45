package dev.weir.eval.option;

import dev.weir.eval.option.LimitOptions.ConcurrencyMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Finds the options of an earlier run, or of a lower source, that cannot stand beside those that
 * are given now, because the given ones choose another mode of regulation.
 *
 * @param chosen the mode that the given options choose
 * @param by the given option that chooses it
 * @param replaced names of the earlier options that do not hold any more
 */
public record ModeConflicts(String chosen, String by, List<String> replaced) {

  private static final String MODE = "concurrency-mode";
  private static final String FIXED = "max-connections";
  private static final String ADAPTIVE = "adaptive-connections";
  private static final List<String> OF_PACE = List.of("self-hosted");
  private static final List<String> OF_AIMD =
      List.of("cooldown-seconds", "decrease-factor", "scale-up-percent");

  public ModeConflicts {
    replaced = List.copyOf(replaced);
  }

  /**
   * @param given on the command line or in the environment; all words can be used
   * @param earlier what an earlier run was given
   */
  public static Optional<ModeConflicts> of(Settings given, Settings earlier) {
    return choice(given, earlier)
        .map(choice -> conflicts(choice, given, earlier))
        .filter(conflicts -> !conflicts.replaced.isEmpty());
  }

  /**
   * Says that an option does not apply, and why.
   *
   * @param origin where it stands, for people: {@code the log}
   */
  public String told(String option, Settings earlier, String origin) {
    return "--%s %s of %s does not apply, because --%s chooses mode %s"
        .formatted(option, earlier.word(option).orElse(""), origin, by, chosen);
  }

  private record Choice(ConcurrencyMode mode, String by) {}

  private static Optional<Choice> choice(Settings given, Settings earlier) {
    LimitOptions options = LimitOptions.parse(given);
    if (options.concurrencyMode().isPresent()) {
      return Optional.of(new Choice(options.concurrencyMode().get(), MODE));
    }
    if (given.word(FIXED).isPresent()) {
      // Beside an explicit mode pace, it is the most calls in flight.
      return earlier.word(MODE).filter(ConcurrencyMode.PACE.word()::equals).isPresent()
          ? Optional.empty()
          : Optional.of(new Choice(ConcurrencyMode.STATIC, FIXED));
    }
    if (options.adaptiveConnections().isPresent()) {
      boolean isFixed = options.adaptiveConnections().get().equals("false");
      return Optional.of(
          new Choice(isFixed ? ConcurrencyMode.STATIC : ConcurrencyMode.AIMD, ADAPTIVE));
    }
    return OF_PACE.stream()
        .filter(option -> given.word(option).isPresent())
        .findFirst()
        .map(option -> new Choice(ConcurrencyMode.PACE, option));
  }

  private static ModeConflicts conflicts(Choice choice, Settings given, Settings earlier) {
    List<String> replaced = new ArrayList<>();
    earlier
        .word(MODE)
        .filter(word -> !word.equals(choice.mode.word()))
        .ifPresent(_ -> replaced.add(MODE));
    if (choice.mode != ConcurrencyMode.PACE) {
      replaced.addAll(OF_PACE);
    }
    boolean isAimd = choice.mode == ConcurrencyMode.AIMD;
    if (!isAimd || earlier.word(ADAPTIVE).filter("false"::equals).isPresent()) {
      replaced.add(ADAPTIVE);
    }
    if (!isAimd) {
      replaced.addAll(OF_AIMD);
    }
    boolean wasPace = earlier.word(MODE).filter(ConcurrencyMode.PACE.word()::equals).isPresent();
    boolean isBound =
        choice.mode == ConcurrencyMode.STATIC
            || (choice.mode == ConcurrencyMode.PACE && (choice.by.equals(MODE) || wasPace));
    if (!isBound) {
      replaced.add(FIXED);
    }
    replaced.removeIf(option -> given.word(option).isPresent() || earlier.word(option).isEmpty());
    return new ModeConflicts(choice.mode.word(), choice.by, replaced);
  }
}
