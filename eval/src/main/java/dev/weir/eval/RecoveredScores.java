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
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Tells of a killed run what it would have told itself: its metrics, with intervals and reducers.
 * Metrics that a program made are left out, and named.
 */
public final class RecoveredScores implements KilledRunScores {

  /** Before the name of a metric that only a program knows. */
  private static final String UNKNOWN = "?";

  private static final JsonMapper JSON = new JsonMapper();

  /** Found with {@link java.util.ServiceLoader}. */
  public RecoveredScores() {}

  /** The metrics of scorers, as the log has them. */
  static Map<String, List<String>> metrics(List<NamedScorer> scorers) {
    Map<String, List<String>> metrics = new LinkedHashMap<>();
    scorers.forEach(
        scorer ->
            metrics.put(
                scorer.name(), scorer.metrics().stream().map(RecoveredScores::word).toList()));
    return metrics;
  }

  private static String word(Metric metric) {
    return Metrics.written(metric)
        .map(entry -> entry instanceof String name ? name : JSON.writeValueAsString(entry))
        .orElse(UNKNOWN + metric.name());
  }

  /** Absent if this program does not know it. */
  private static Optional<Metric> made(String word) {
    try {
      return word.startsWith(UNKNOWN)
          ? Optional.empty()
          : Optional.of(
              Metrics.parse(word.startsWith("{") ? JSON.readValue(word, Map.class) : word));
    } catch (ConfigurationException | JacksonException ofALaterVersion) {
      return Optional.empty();
    }
  }

  @Override
  public Tally of(RunStart start) {
    return new Counted(start);
  }

  private static final class Counted implements Tally {

    // How an epoch ended.
    private static final double SOUND = 1;
    private static final double FAILED = 0;

    private final RunStart start;
    private final List<String> scorers;
    private final List<Reducer> reducers;
    private final Set<String> keys = new HashSet<>();
    private final Map<String, Map<String, Object>> metadata = new HashMap<>();
    // By sample: for each epoch how it ended, then its scores; without one, not a number.
    private final Map<String, double[]> scores = new HashMap<>();

    Counted(RunStart start) {
      this.start = start;
      this.scorers = start.scorers();
      this.reducers = reducers(start);
      scorers.forEach(scorer -> keys.addAll(Metrics.keys(metrics(scorer))));
    }

    @Override
    public boolean wantsMetadata() {
      return !keys.isEmpty();
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
    public void add(SampleSummary sample, Map<String, Object> told) {
      keep(sample.id(), told);
      int from = (sample.epoch() - 1) * width();
      int needed = Math.max(start.epochs() * width(), from + width());
      double[] known = scores.computeIfAbsent(sample.id(), _ -> nothing(needed));
      if (known.length < needed) {
        double[] more = nothing(needed);
        System.arraycopy(known, 0, more, 0, known.length);
        scores.put(sample.id(), more);
        known = more;
      }
      known[from] = sample.cancelled() ? Double.NaN : sample.failed() ? FAILED : SOUND;
      for (int i = 0; i < scorers.size(); i++) {
        known[from + 1 + i] = sample.scores().getOrDefault(scorers.get(i), Double.NaN);
      }
    }

    /** Of what a sample tells, only what metrics look at: there may be many, and large ones. */
    private void keep(String id, Map<String, Object> told) {
      if (wantsMetadata()) {
        Map<String, Object> kept = new HashMap<>(told);
        kept.keySet().retainAll(keys);
        metadata.put(id, kept);
      }
    }

    private static double[] nothing(int length) {
      double[] nothing = new double[length];
      Arrays.fill(nothing, Double.NaN);
      return nothing;
    }

    /** In the order of the dataset, as the run would have had them. */
    private ScoreBook book() {
      var book = new ScoreBook(start.epochs(), wantsMetadata());
      metadata.forEach(book::metadata);
      for (String id : start.dataset().sampleIds().texts()) {
        double[] known = scores.getOrDefault(id, new double[0]);
        for (int from = 0; from < known.length; from += width()) {
          if (!Double.isNaN(known[from])) {
            book.ended(id);
          }
          for (int i = 0; i < scorers.size(); i++) {
            if (!Double.isNaN(known[from + 1 + i])) {
              book.score(scorers.get(i), id, known[from + 1 + i], known[from] == FAILED);
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
        all.addAll(book.metrics(scorer, metrics(scorer), reducers));
      }
      return all;
    }

    private List<Metric> metrics(String scorer) {
      return start.scorerMetrics().isEmpty()
          ? Metrics.usual()
          : words(scorer).stream().flatMap(word -> made(word).stream()).toList();
    }

    private List<String> words(String scorer) {
      return start.scorerMetrics().map(known -> known.get(scorer)).orElse(List.of());
    }

    @Override
    public List<String> leftOut() {
      List<String> leftOut = new ArrayList<>();
      for (String scorer : scorers) {
        for (String word : words(scorer)) {
          if (made(word).isEmpty()) {
            String name = word.startsWith(UNKNOWN) ? word.substring(UNKNOWN.length()) : word;
            leftOut.add("%s of %s".formatted(name, scorer));
          }
        }
      }
      return leftOut;
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
      for (String scorer : scorers) {
        reducers.forEach(reducer -> all.add(book.reductions(scorer, reducer)));
      }
      return all;
    }
  }
}
