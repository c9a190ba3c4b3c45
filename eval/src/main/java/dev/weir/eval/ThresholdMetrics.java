package dev.weir.eval;

import dev.weir.eval.component.Component;
import dev.weir.eval.dataset.Sample;
import dev.weir.eval.metric.Metric;
import dev.weir.eval.metric.Metrics;
import dev.weir.eval.option.Options;
import dev.weir.eval.option.RunOptions;
import dev.weir.eval.option.Settings;
import dev.weir.eval.scorer.Scorers;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.eval.task.TaskDefinition.NamedScorer;
import dev.weir.log.RunResult;
import dev.weir.log.RunResult.ScorerMetrics;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Printable;
import dev.weir.model.Spelling;
import java.math.BigDecimal;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of a run by the names that thresholds have for them: {@code accuracy} of the first
 * scorer, {@code match/accuracy} of one by name, {@code accuracy_over_all} with samples that failed
 * counted as 0.
 */
public final class ThresholdMetrics {

  private static final String OVER_ALL = "accuracy_over_all";

  private static final Pattern LESS_IS_BETTER =
      Pattern.compile("(?:.*/)?(?:std|var|stderr|bootstrap_stderr)(?:\\[.*)?", Pattern.DOTALL);

  private static final Pattern SHARE =
      Pattern.compile("(?:.*/)?(?:accuracy|accuracy_over_all|mean|ci_low|ci_high)", Pattern.DOTALL);

  private ThresholdMetrics() {}

  /** What there is, those of the first scorer first. */
  public static Map<String, Double> values(RunResult result) {
    Map<String, Double> values = new LinkedHashMap<>(result.metrics());
    result.accuracyOverAll().ifPresent(value -> values.putIfAbsent(OVER_ALL, value));
    // Of several reducers the first, as for the first scorer.
    for (ScorerMetrics scores : result.scores()) {
      scores
          .metrics()
          .forEach((metric, value) -> values.putIfAbsent(scores.scorer() + "/" + metric, value));
    }
    return Collections.unmodifiableMap(values);
  }

  /** Why a metric is not among the {@link #values} of a run, in a sentence. */
  public static String missing(String metric, RunResult result) {
    return result.samples().scored() == 0
        ? "%s is not known, since no sample was scored".formatted(Printable.line(metric))
        : unknown(metric, values(result).keySet());
  }

  private static String unknown(String metric, Collection<String> known) {
    return "there is no metric '%s'%s"
        .formatted(
            Printable.line(metric), Spelling.withAll("There are", metric, new TreeSet<>(known)));
  }

  /**
   * Tells of a metric that cannot be there before anything is paid for; here those of the option
   * {@code threshold}.
   *
   * @param given settings that win over those of the task
   * @throws ConfigurationException if there is one
   */
  public static void check(TaskDefinition task, Settings given) {
    Settings settings = given.orElse(task.settings());
    Set<String> metrics = RunOptions.parse(settings).budget().thresholds().keySet();
    String origin =
        settings
            .setting(Options.named("threshold"))
            .map(Settings.Setting::origin)
            .orElse("threshold");
    check(task, metrics, origin);
    requireShares(task, RunOptions.parse(settings).budget().thresholds(), origin);
    metrics.stream()
        .filter(metric -> LESS_IS_BETTER.matcher(metric).matches())
        .findFirst()
        .ifPresent(
            metric -> {
              throw new ConfigurationException(
                  ("%s: a threshold is the least that will do, and of '%s' less is better; take one"
                          + " of accuracy, mean or ci_low")
                      .formatted(origin, Printable.line(metric)));
            });
  }

  /** Scorers of Weir give scores from 0 to 1: nothing reaches 80. Others give what they like. */
  private static void requireShares(
      TaskDefinition task, Map<String, Double> thresholds, String origin) {
    Set<String> known = Scorers.all().stream().map(Component::name).collect(Collectors.toSet());
    boolean areShares =
        task.scorers().stream().allMatch(scorer -> known.contains(scorer.name()))
            && task.provenance().scorers().size() == task.scorers().size();
    thresholds.forEach(
        (metric, least) -> {
          if (areShares && least > 1 && SHARE.matcher(metric).matches()) {
            throw new ConfigurationException(
                "%s: %s is a share from 0 to 1, so %s can never be reached%s"
                    .formatted(
                        origin,
                        Printable.line(metric),
                        number(least),
                        least <= 100
                            ? "; did you mean %s=%s?".formatted(metric, number(least / 100))
                            : ""));
          }
        });
  }

  private static String number(double value) {
    return BigDecimal.valueOf(value).stripTrailingZeros().toPlainString();
  }

  /**
   * Tells of a metric that cannot be there before anything is paid for.
   *
   * @param origin where they are asked for, to be named in the message
   * @throws ConfigurationException if there is one
   */
  public static void check(TaskDefinition task, Collection<String> metrics, String origin) {
    if (metrics.isEmpty()) {
      return;
    }
    Set<String> known = new TreeSet<>(Set.of(OVER_ALL));
    // What the metrics of a program tell is called as it likes: behind these anything may come.
    Set<String> open = new TreeSet<>();
    List<Map<String, @Nullable Object>> metadata =
        task.dataset().samples().stream().map(Sample::metadata).toList();
    for (NamedScorer scorer : task.scorers()) {
      boolean isFirst = scorer.equals(task.scorers().getFirst());
      for (Metric metric : scorer.metrics()) {
        for (String before :
            isFirst ? List.of("", scorer.name() + "/") : List.of(scorer.name() + "/")) {
          Metrics.numbers(metric, metadata)
              .ifPresentOrElse(
                  names -> names.forEach(name -> known.add(before + name)), () -> open.add(before));
        }
      }
    }
    for (String metric : metrics) {
      if (!known.contains(metric) && open.stream().noneMatch(metric::startsWith)) {
        throw new ConfigurationException("%s: %s".formatted(origin, unknown(metric, known)));
      }
    }
  }
}
