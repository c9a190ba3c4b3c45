package dev.weir.eval.option;

import java.util.Locale;
import java.util.Optional;

/**
 * Something that a run can be told: under the same name on the command line ({@code
 * --max-connections}), in a task file ({@code max_connections}), in the environment ({@code
 * WEIR_MAX_CONNECTIONS}) and in the API.
 *
 * @param name as it is on the command line, without dashes before it
 * @param group a heading for people
 * @param label what its value is, for help: {@code N}
 * @param description for help, with the default
 * @param alone what it means without a value; absent if it needs one. A value is then attached with
 *     {@code =} alone.
 * @param merged whether it is a list of {@code key=value} pairs, of which sources add up
 */
public record Option(
    String name,
    Group group,
    String label,
    String description,
    Optional<String> alone,
    boolean merged) {

  /** What options are about, in the order of help. */
  public enum Group {
    SELECTION("Selection"),
    MODELS("Models"),
    SAMPLES("Samples"),
    SAMPLE_LIMITS("Sample limits"),
    ERRORS("Errors"),
    REGULATION("Regulation of calls"),
    GENERATION("Answers"),
    BUDGET("Budget"),
    LOG("Log");

    private final String heading;

    Group(String heading) {
      this.heading = heading;
    }

    public String heading() {
      return heading;
    }
  }

  /** What it was given twice as one word: pairs add up, of all else the later one holds. */
  public String add(String earlier, String later) {
    return merged ? Pairs.add(earlier, later) : later;
  }

  /** As it is in a task file. */
  public String key() {
    return name.replace('-', '_');
  }

  /** As it is in the environment. */
  public String variable() {
    return "WEIR_" + name.toUpperCase(Locale.ROOT).replace('-', '_');
  }
}
