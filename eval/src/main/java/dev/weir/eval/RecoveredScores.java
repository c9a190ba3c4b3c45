package dev.weir.eval;

import dev.weir.eval.metric.Metric;
import dev.weir.eval.metric.Metrics;
import dev.weir.eval.metric.Reducer;
import dev.weir.eval.option.Options;
import dev.weir.eval.option.RunOptions;
import dev.weir.eval.option.Settings;
import dev.weir.eval.task.TaskDefinition.NamedScorer;
import dev.weir.log.KilledRunScores;
import dev.weir.log.Reduced;
import dev.weir.log.RunResult.ScorerMetrics;
import dev.weir.log.RunStart;
import dev.weir.log.SampleSummary;
import dev.weir.model.ConfigurationException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Tells of a killed run what it would have told itself: its metrics, with intervals and reducers.
 * Metrics that look at more than scores (groups, clusters, those of a program) are left out.
 */
public final class RecoveredScores implements KilledRunScores {

  private static final List<Metric> ONLY_THE_MEAN = List.of(Metrics.of("accuracy", Map.of()));

  /** Found with {@link java.util.ServiceLoader}. */
  public RecoveredScores() {}

  /** Which metrics scores alone tell; a scorer whose metrics see clusters is left out. */
  static Map<String, List<String>> metrics(List<NamedScorer> scorers) {
    Map<String, List<String>> metrics = new LinkedHashMap<>();
    for (NamedScorer scorer : scorers) {
      if (Metrics.cluster(scorer.metrics()).isEmpty()) {
        metrics.put(
            scorer.name(),
            scorer.metrics().stream()
                .filter(metric -> made(metric.name()).filter(metric::equals).isPresent())
                .map(Metric::name)
                .toList());
      }
    }
    return metrics;
  }

  /** Those that need no argument. */
  private static Optional<Metric> made(String name) {
    try {
      return Optional.of(Metrics.of(name, Map.of()));
    } catch (ConfigurationException ofAProgram) {
      return Optional.empty();
    }
  }

  @Override
  public Tally of(RunStart start) {
    return new Counted(start);
  }

  private static final class Counted implements Tally {

    private final RunStart start;
    private final List<String> scorers;
    private final List<Reducer> reducers;
    // By sample: for each epoch whether it ended, then its scores; without one, not a number.
    private final Map<String, double[]> scores = new HashMap<>();

    Counted(RunStart start) {
      this.start = start;
      this.scorers = start.scorers();
      this.reducers = reducers(start);
    }

    private static List<Reducer> reducers(RunStart start) {
      try {
        String option = "epochs-reducer";
        String word = start.config().get(Options.named(option).key());
        if (word != null) {
          var given = Settings.NONE.with(Options.named(option), word, option);
          return RunOptions.parse(given).samples().reducers().stream().map(Reducer::parse).toList();
        }
      } catch (ConfigurationException ofALaterVersion) {
        // The mean can always be told.
      }
      return List.of(Reducer.MEAN);
    }

    private int width() {
      return 1 + scorers.size();
    }

    @Override
    public void add(SampleSummary sample) {
      int from = (sample.epoch() - 1) * width();
      int needed = Math.max(start.epochs() * width(), from + width());
      double[] known = scores.computeIfAbsent(sample.id(), _ -> nothing(needed));
      if (known.length < needed) {
        double[] more = nothing(needed);
        System.arraycopy(known, 0, more, 0, known.length);
        scores.put(sample.id(), more);
        known = more;
      }
      known[from] = sample.cancelled() ? Double.NaN : 1;
      for (int i = 0; i < scorers.size(); i++) {
        known[from + 1 + i] = sample.scores().getOrDefault(scorers.get(i), Double.NaN);
      }
    }

    private static double[] nothing(int length) {
      double[] nothing = new double[length];
      Arrays.fill(nothing, Double.NaN);
      return nothing;
    }

    /** In the order of the dataset, as the run would have had them. */
    private ScoreBook book() {
      var book = new ScoreBook(start.epochs(), false);
      for (String id : start.dataset().sampleIds()) {
        double[] known = scores.getOrDefault(id, new double[0]);
        for (int from = 0; from < known.length; from += width()) {
          if (!Double.isNaN(known[from])) {
            book.ended(id);
          }
          for (int i = 0; i < scorers.size(); i++) {
            if (!Double.isNaN(known[from + 1 + i])) {
              book.score(scorers.get(i), id, known[from + 1 + i]);
            }
          }
        }
      }
      return book;
    }

    @Override
    public List<ScorerMetrics> metrics() {
      ScoreBook book = book();
      List<ScorerMetrics> all = new ArrayList<>();
      for (String scorer : scorers) {
        Optional<List<Metric>> metrics = metrics(scorer);
        book.metrics(scorer, metrics.orElse(ONLY_THE_MEAN), reducers).stream()
            .map(told -> metrics.isPresent() ? told : withoutInterval(told))
            .forEach(all::add);
      }
      return all;
    }

    /** Absent if scores alone do not tell how far a mean can be trusted. */
    private Optional<List<Metric>> metrics(String scorer) {
      if (start.scorerMetrics().isEmpty()) {
        return Optional.of(Metrics.usual());
      }
      return Optional.ofNullable(start.scorerMetrics().get().get(scorer))
          .map(names -> names.stream().flatMap(name -> made(name).stream()).toList());
    }

    private static ScorerMetrics withoutInterval(ScorerMetrics told) {
      return new ScorerMetrics(told.scorer(), told.reducer(), told.metrics(), Optional.empty());
    }

    @Override
    public Optional<Double> accuracyOverAll() {
      return scorers.isEmpty()
          ? Optional.empty()
          : book().meanOverAll(scorers.getFirst(), reducers.getFirst());
    }

    @Override
    public List<Reduced> reductions() {
      List<Reduced> all = new ArrayList<>();
      ScoreBook book = book();
      for (String scorer : start.epochs() > 1 ? scorers : List.<String>of()) {
        reducers.forEach(reducer -> all.add(book.reductions(scorer, reducer)));
      }
      return all;
    }
  }
}
