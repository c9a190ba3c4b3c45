package dev.weir.cli;

import dev.weir.eval.Evaluation;
import dev.weir.eval.Host;
import dev.weir.eval.option.Settings;
import dev.weir.eval.option.TraceOptions.LogLevel;
import dev.weir.eval.run.RunProgress;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.limits.LimitKey;
import dev.weir.limits.event.Constraint;
import dev.weir.log.RunResult;
import dev.weir.log.trace.TraceRecord;
import dev.weir.model.Printable;
import dev.weir.simulator.server.Profile;
import dev.weir.simulator.server.Rehearsal;
import dev.weir.simulator.server.Simulation;
import dev.weir.time.Task;
import dev.weir.time.virtual.VirtualTime;
import java.io.PrintWriter;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Runs an evaluation on virtual time against simulated models, and tells what to expect of it. The
 * runner is the real one; models, tools and sandboxes are not, and nothing is written.
 */
final class RehearsalReport {

  /** Assumptions about answers, for want of any. */
  private static final int OUTPUT_TOKENS = 250;

  private static final int TOOL_TURNS = 5;
  private static final Duration LATENCY = Duration.ofSeconds(2);

  private static final Duration LOOK = Duration.ofSeconds(1);

  private static final JsonMapper JSON =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  private final List<TaskDefinition> tasks;
  private final Settings settings;
  private final Optional<Profile> profile;
  private final Map<String, String> environment;
  private final long seed;

  // By model; virtual time runs one task at a time, but watchers may be called from any.
  private final Map<String, AtomicLong> calls = new ConcurrentHashMap<>();
  private final Map<String, AtomicLong> refusals = new ConcurrentHashMap<>();
  private final Map<String, Map<Constraint, AtomicLong>> waits = new ConcurrentHashMap<>();

  /**
   * @param profile the tier to rehearse with; absent for one without limits
   */
  RehearsalReport(
      List<TaskDefinition> tasks,
      Settings settings,
      Optional<Profile> profile,
      Map<String, String> environment,
      long seed) {
    this.tasks = tasks;
    this.settings = settings;
    this.profile = profile;
    this.environment = environment;
    this.seed = seed;
  }

  Evaluation.Finished run() throws Exception {
    var time = VirtualTime.seeded(seed);
    Simulation simulation =
        profile
            .map(tier -> Simulation.of(Optional.of(tier), Map.of(), seed))
            .orElseGet(() -> Rehearsal.unlimited(LATENCY, seed));
    var rehearsal = new Rehearsal(simulation, time, OUTPUT_TOKENS, TOOL_TURNS);
    var host =
        new Host(
            environment,
            Optional.empty(),
            this::noted,
            Optional.of(name -> rehearsal.open(name, LimitKey.named(name.toString()))));
    return time.run(
        () -> {
          Evaluation evaluation = Evaluation.prepare(time, tasks, settings, host);
          Task<?> watching =
              time.start(
                  "watch",
                  () -> {
                    while (true) {
                      time.sleep(LOOK);
                      evaluation.progress().forEach(this::look);
                    }
                  });
          try {
            return evaluation.run();
          } finally {
            watching.cancel();
          }
        });
  }

  private void noted(LogLevel level, TraceRecord record) {
    if (record.event().equals(TraceRecord.HTTP)) {
      count(calls, record.scope());
      if (String.valueOf(record.details().get("outcome")).equals("rate limited")) {
        count(refusals, record.scope());
      }
    }
  }

  private static void count(Map<String, AtomicLong> counts, String key) {
    counts.computeIfAbsent(key, _ -> new AtomicLong()).incrementAndGet();
  }

  private void look(RunProgress run) {
    if (!run.ended()) {
      waits
          .computeIfAbsent(run.model(), _ -> new ConcurrentHashMap<>())
          .computeIfAbsent(run.waitingFor().constraint(), _ -> new AtomicLong())
          .incrementAndGet();
    }
  }

  /** What it was limited by for most of the time, in words. */
  private String limitedBy(String model) {
    Map<Constraint, AtomicLong> seen = waits.getOrDefault(model, Map.of());
    long all = seen.values().stream().mapToLong(AtomicLong::get).sum();
    return seen.entrySet().stream()
        .filter(entry -> entry.getKey() != Constraint.NOTHING)
        .max(Map.Entry.comparingByValue((a, b) -> Long.compare(a.get(), b.get())))
        .filter(most -> most.getValue().get() * 10 > all)
        .map(
            most ->
                "%s (%d %% of the time)"
                    .formatted(
                        most.getKey().word(), Math.round(100.0 * most.getValue().get() / all)))
        .orElse("nothing: the samples themselves");
  }

  void print(Evaluation.Finished finished, PrintWriter out) {
    out.println(
        profile
            .map(
                tier ->
                    "Rehearsal with the tier %s (%s). Nothing was sent."
                        .formatted(tier.name(), tier.description()))
            .orElse("Dry run. Nothing was sent."));
    for (Evaluation.FinishedRun run : finished.runs()) {
      RunResult result = run.result();
      String model = result.start().model();
      out.println();
      out.println(Printable.line("%s on %s".formatted(result.start().task(), model)));
      line(out, "samples", samples(result));
      line(out, "calls", count(calls));
      line(
          out,
          "tokens",
          String.format(
              Locale.ROOT, "%,d in, %,d out", result.tokens().input(), result.tokens().output()));
      line(out, "price", price(result));
      line(out, "time", clock(result.seconds()) + (profile.isEmpty() ? ", without limits" : ""));
      if (profile.isPresent()) {
        line(out, "refusals", count(refusals));
        line(out, "limited by", limitedBy(model));
      }
      result.error().ifPresent(error -> line(out, "error", Printable.line(error)));
    }
    out.println();
    out.printf(
        "Assumed: answers of %d tokens after about %s s, %d calls of tools by models that have any;"
            + " tools and commands take 1 s and are not run.%n",
        OUTPUT_TOKENS,
        profile.isEmpty() ? LATENCY.toSeconds() : "what the tier's profile says",
        TOOL_TURNS);
  }

  String json(Evaluation.Finished finished) {
    List<Map<String, Object>> runs = new ArrayList<>();
    for (Evaluation.FinishedRun run : finished.runs()) {
      RunResult result = run.result();
      Map<String, Object> document = new LinkedHashMap<>();
      document.put("task", result.start().task());
      document.put("model", result.start().model());
      document.put("profile", profile.map(Profile::name));
      document.put("samples", result.samples().total());
      document.put("calls", calls.values().stream().mapToLong(AtomicLong::get).sum());
      document.put("input_tokens", result.tokens().input());
      document.put("output_tokens", result.tokens().output());
      document.put("usd", result.cost().usd());
      document.put("seconds", result.seconds());
      document.put("refusals", refusals.values().stream().mapToLong(AtomicLong::get).sum());
      document.put("limited_by", limitedBy(result.start().model()));
      document.put("error", result.error());
      runs.add(document);
    }
    return JSON.writeValueAsString(runs.size() == 1 ? runs.getFirst() : runs);
  }

  private static void line(PrintWriter out, String name, String value) {
    out.printf("  %-11s %s%n", name, value);
  }

  private static String samples(RunResult result) {
    return result.start().epochs() == 1
        ? String.valueOf(result.samples().total())
        : "%d × %d epochs".formatted(result.start().samples(), result.start().epochs());
  }

  private String count(Map<String, AtomicLong> counts) {
    if (counts.isEmpty()) {
      return "0";
    }
    return String.join(
        ", ",
        counts.entrySet().stream()
            .sorted(Map.Entry.comparingByKey())
            .map(
                entry ->
                    String.format(Locale.ROOT, "%,d", entry.getValue().get())
                        + (counts.size() == 1 ? "" : " to " + Printable.line(entry.getKey())))
            .toList());
  }

  private static String price(RunResult result) {
    BigDecimal known = result.cost().knownUsd().setScale(4, RoundingMode.HALF_UP);
    if (result.cost().unknownCalls() == 0) {
      return "$" + known.toPlainString();
    }
    return result.cost().pricedCalls() == 0
        ? "unknown; give prices with --prices"
        : "at least $" + known.toPlainString();
  }

  private static String clock(double seconds) {
    return Numbers.clock(Duration.ofMillis(Math.round(seconds * 1e3)));
  }
}
