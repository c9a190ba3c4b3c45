package dev.weir.benchmarks.selection;

import dev.weir.cli.Benchmark;
import dev.weir.selection.Evaluation;
import dev.weir.selection.Selection;
import dev.weir.selection.SelectionPlan;
import dev.weir.selection.Selector;
import dev.weir.selection.Selectors;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * How far below the best the winners of selectors are, and what finding them took, when published
 * score tables are replayed with many seeds; beside arm elimination as AgentOpt documents it.
 */
public final class SelectionBenchmark implements Benchmark {

  private static final String DOCUMENTED = "AgentOpt's arm elimination";
  private static final String AUTO = "auto";
  private static final int SEEDS = 300;

  /** How many more evaluations than arm elimination {@code auto} may take. */
  private static final double MORE_EVALUATIONS = 1.1;

  private final int seeds;

  /** The full size; found by {@link java.util.ServiceLoader}. */
  public SelectionBenchmark() {
    this(SEEDS);
  }

  SelectionBenchmark(int seeds) {
    this.seeds = seeds;
  }

  @Override
  public String name() {
    return "selection";
  }

  @Override
  public String description() {
    return "how good the combinations are that selectors find, and after how many evaluations;"
        + " --data DIR for other tables";
  }

  @Override
  public Report run() throws IOException {
    return run(ScoreTable.published());
  }

  @Override
  public Report run(Path data) throws IOException {
    return run(ScoreTable.in(data));
  }

  /**
   * What a selector did on a table.
   *
   * @param regret how far the winner's mean is below the best, on average
   * @param error the standard error of that
   * @param high the 95th percentile
   * @param worst the most
   * @param share of the evaluations of brute force
   */
  record Figures(double regret, double error, double high, double worst, double share) {

    Map<String, Object> document() {
      Map<String, Object> document = new LinkedHashMap<>();
      document.put("mean_regret", regret);
      document.put("standard_error", error);
      document.put("regret_95th_percentile", high);
      document.put("worst_regret", worst);
      document.put("evaluations_share", share);
      return document;
    }
  }

  private Report run(List<ScoreTable> tables) {
    Map<String, Selector> selectors = new LinkedHashMap<>();
    selectors.put(DOCUMENTED, Selectors.documentedArmElimination());
    Selectors.names().forEach(name -> selectors.put(name, Selectors.named(name, Map.of())));
    var text = new StringBuilder();
    List<Map<String, Object>> documents = new ArrayList<>();
    boolean met = true;
    for (ScoreTable table : tables) {
      Map<String, Figures> figures = new LinkedHashMap<>();
      selectors.forEach((name, selector) -> figures.put(name, measure(table, selector)));
      List<String> missed = missed(known(figures, AUTO), known(figures, DOCUMENTED));
      met &= missed.isEmpty();
      text.append(text(table, figures, missed));
      documents.add(document(table, figures, missed));
    }
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("seeds", seeds);
    all.put("met", met);
    all.put("tables", documents);
    return new Report(all, text.toString());
  }

  private static Figures known(Map<String, Figures> figures, String name) {
    return Optional.ofNullable(figures.get(name)).orElseThrow();
  }

  private Figures measure(ScoreTable table, Selector selector) {
    double best = table.best();
    double[] regrets = new double[seeds];
    double evaluations = 0;
    for (int seed = 0; seed < seeds; seed++) {
      Selection selection = replay(table, selector, seed);
      // Who names none is as wrong as one can be.
      OptionalInt leader = selection.leader();
      regrets[seed] = best - (leader.isPresent() ? table.mean(leader.getAsInt()) : table.worst());
      evaluations += selection.told();
    }
    Arrays.sort(regrets);
    double mean = Arrays.stream(regrets).average().orElseThrow();
    double squares = Arrays.stream(regrets).map(r -> (r - mean) * (r - mean)).sum();
    double all = (double) seeds * table.arms().size() * table.datapoints();
    return new Figures(
        mean,
        Math.sqrt(squares / Math.max(1, seeds - 1) / seeds),
        regrets[Math.min(seeds - 1, (int) Math.ceil(0.95 * seeds) - 1)],
        regrets[seeds - 1],
        evaluations / all);
  }

  /** Datapoints are shuffled here, too, since AgentOpt takes them as they come. */
  private static Selection replay(ScoreTable table, Selector selector, int seed) {
    int[] order = IntStream.range(0, table.datapoints()).toArray();
    var random = new SplittableRandom(seed * 7919L + 17);
    for (int i = order.length - 1; i > 0; i--) {
      int other = random.nextInt(i + 1);
      int datapoint = order[i];
      order[i] = order[other];
      order[other] = datapoint;
    }
    var selection =
        Selection.begin(SelectionPlan.of(table.arms(), table.datapoints(), selector, seed));
    Optional<Evaluation> next = selection.next();
    while (next.isPresent()) {
      selection.tell(next.get(), table.outcome(next.get(), order));
      next = selection.next();
    }
    return selection;
  }

  /** What {@code auto} does not reach. */
  private static List<String> missed(Figures auto, Figures documented) {
    List<String> missed = new ArrayList<>();
    if (auto.regret > documented.regret + Math.hypot(auto.error, documented.error)) {
      missed.add("mean regret");
    }
    if (documented.high > 0 ? auto.high >= documented.high : auto.high > 0) {
      missed.add("95th percentile of regret");
    }
    if (auto.share > MORE_EVALUATIONS * documented.share) {
      missed.add("evaluations");
    }
    return missed;
  }

  private String text(ScoreTable table, Map<String, Figures> figures, List<String> missed) {
    var text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            "%s: %d combinations, %d datapoints, best %.2f %%; %d seeds%n",
            table.name(),
            table.arms().size(),
            table.datapoints(),
            100 * table.best(),
            seeds));
    text.append(
        String.format(
            Locale.ROOT,
            "%-28s %16s %10s %10s %13s%n",
            "regret in points",
            "mean",
            "95th",
            "worst",
            "evaluations"));
    figures.forEach(
        (name, row) ->
            text.append(
                String.format(
                    Locale.ROOT,
                    "%-28s %8.2f ± %5.2f %10.2f %10.2f %11.1f %%%n",
                    name,
                    100 * row.regret,
                    100 * row.error,
                    100 * row.high,
                    100 * row.worst,
                    100 * row.share)));
    text.append(
        missed.isEmpty()
            ? "auto is no worse than arm elimination as documented.%n%n".formatted()
            : "auto is worse than arm elimination as documented in: %s.%n%n"
                .formatted(String.join(", ", missed)));
    return text.toString();
  }

  private static Map<String, Object> document(
      ScoreTable table, Map<String, Figures> figures, List<String> missed) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("table", table.name());
    document.put("combinations", table.arms().size());
    document.put("datapoints", table.datapoints());
    document.put("best", table.best());
    document.put("auto_misses", missed);
    Map<String, Object> selectors = new LinkedHashMap<>();
    figures.forEach((name, row) -> selectors.put(name, row.document()));
    document.put("selectors", selectors);
    return document;
  }
}
