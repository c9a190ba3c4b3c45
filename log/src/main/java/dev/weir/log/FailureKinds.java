package dev.weir.log;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Errors of samples grouped by kind: two errors are of the same kind if they read the same without
 * the parts that differ from call to call, such as numbers, ids and quoted values.
 *
 * @param kinds the most frequent first
 * @param damage what could not be read, in sentences
 */
public record FailureKinds(List<Kind> kinds, List<String> damage) {

  /** Samples that a kind names; a bound for memory and output. */
  private static final int MOST_SAMPLES = 1_000;

  private static final int MOST_ERRORS = 1_000_000;

  /** Longer messages differ only in their details. */
  private static final int COMPARED = 300;

  private static final String VARIABLE = "…";

  /** Not the message of an exception as Python shows it: {@code ValueError('no such file')}. */
  private static final Pattern QUOTED =
      Pattern.compile("(?<!\\()\"[^\"]*\"|`[^`]*`|(?<![\\w(])'(?:[^']|(?<=\\w)'(?=\\w))*'(?!\\w)");

  private static final Pattern ADDRESS = Pattern.compile("\\w+://[^\\s,;)]+");

  /** Words of letters and digits, such as request ids and UUIDs; not the name of a model. */
  private static final Pattern ID =
      Pattern.compile(
          "(?<![/\\w-])(?:(?=[\\w-]*\\d)(?=[\\w-]*[A-Za-z])[\\w-]{8,}|\\d+(?:-\\d+){2,})(?![\\w-])");

  /** The numbers that tell kinds of errors apart: {@code HTTP 500}, {@code sim/demo: 500: …}. */
  private static final Pattern STATUS =
      Pattern.compile("(?i)(\\b(?:HTTP|status|code|error)[ :=]+|: )([1-5]\\d\\d)(?=\\W|$)");

  private static final Pattern NUMBER = Pattern.compile("(?<![\\w⟨-])\\d+(?:[.,:]\\d+)*");

  public FailureKinds {
    kinds = List.copyOf(kinds);
    damage = List.copyOf(damage);
  }

  /**
   * Errors of one kind.
   *
   * @param kind the error with an ellipsis for each part that varies
   * @param example the first such error in full
   * @param count how many samples failed with it, each epoch counted
   * @param recovered how often a sample failed with it and was run again
   * @param samples the first samples that failed with it
   */
  public record Kind(
      String kind, String example, long count, long recovered, List<SamplePlace> samples) {

    public Kind {
      samples = List.copyOf(samples);
    }
  }

  /**
   * Groups the errors of a log: of samples that failed, and of those that failed and were run
   * again.
   */
  public static FailureKinds of(Path log) throws IOException {
    Map<String, Count> counts = new LinkedHashMap<>();
    try (OrderedSamples samples =
        OrderedSamples.open(
            log,
            sample -> sample.failed() || sample.errorRetries() > 0,
            OrderedSamples.Order.DATASET,
            MOST_ERRORS)) {
      for (var next = samples.next(); next.isPresent(); next = samples.next()) {
        SampleResult sample = next.get();
        sample.errorRetries().forEach(error -> count(counts, error.message()).recovered++);
        sample.error().ifPresent(error -> count(counts, error).add(sample));
      }
      return new FailureKinds(
          counts.entrySet().stream()
              .map(entry -> entry.getValue().kind(entry.getKey()))
              .sorted(
                  Comparator.comparingLong(Kind::count)
                      .thenComparingLong(Kind::recovered)
                      .reversed())
              .toList(),
          samples.damage());
    }
  }

  private static Count count(Map<String, Count> counts, String error) {
    return counts.computeIfAbsent(kind(error), _ -> new Count(error));
  }

  /** How many samples failed in the end. */
  public long failed() {
    return kinds.stream().mapToLong(Kind::count).sum();
  }

  /** An error without the parts that differ from call to call. */
  static String kind(String error) {
    String line = error.lines().filter(text -> !text.isBlank()).findFirst().orElse("").strip();
    String text = line.substring(0, Math.min(line.length(), COMPARED));
    text = QUOTED.matcher(text).replaceAll("'" + VARIABLE + "'");
    text = ADDRESS.matcher(text).replaceAll(VARIABLE);
    text = ID.matcher(text).replaceAll(VARIABLE);
    text = STATUS.matcher(text).replaceAll("$1⟨$2⟩");
    text = NUMBER.matcher(text).replaceAll(VARIABLE);
    return text.replace("⟨", "").replace("⟩", "");
  }

  private static final class Count {

    private final String example;
    private final List<SamplePlace> samples = new ArrayList<>();
    private long count;
    private long recovered;

    Count(String example) {
      this.example = example;
    }

    void add(SampleResult sample) {
      count++;
      if (samples.size() < MOST_SAMPLES) {
        samples.add(new SamplePlace(sample.id(), sample.epoch()));
      }
    }

    Kind kind(String kind) {
      return new Kind(kind, example, count, recovered, samples);
    }
  }
}
