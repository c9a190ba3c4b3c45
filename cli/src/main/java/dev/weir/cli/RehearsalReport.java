package dev.weir.cli;

import dev.weir.eval.run.ModelProgress;
import dev.weir.log.Cost;
import dev.weir.log.RunResult;
import dev.weir.model.ModelName;
import dev.weir.model.Printable;
import dev.weir.model.Spelling;
import dev.weir.model.price.PriceTable;
import dev.weir.simulator.server.Profile;
import dev.weir.simulator.server.Rehearsal;
import java.io.PrintWriter;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * What is to be expected of an evaluation, by its rehearsal.
 *
 * @param profile the tier it was rehearsed with; absent for one without limits
 * @param models what each model did in the end
 * @param took from the first to the last of all runs, on the virtual clock
 * @param isCutShort whether it had not ended after {@link RehearsedRun#LONGEST}
 * @param configuration warnings about how it is configured
 */
record RehearsalReport(
    Optional<Profile> profile,
    List<RunResult> runs,
    List<ModelProgress> models,
    RehearsalWatch watch,
    Duration took,
    boolean isCutShort,
    List<String> configuration) {

  RehearsalReport {
    configuration = List.copyOf(configuration);
  }

  static final JsonMapper JSON =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  /** Models that stand for those of anybody, or of somebody who is not known. */
  private static final Set<String> OF_NO_PROVIDER =
      Set.of("mock", "sim", "exec", "http", "openai-api");

  private static final String NO_LIMIT = "nothing: answers, tools and samples themselves";

  /** Whether it went through without an error. */
  boolean isClean() {
    return !isCutShort
        && runs.stream().allMatch(run -> run.error().isEmpty() && run.samples().failed() == 0);
  }

  void print(PrintWriter out) {
    out.println(
        profile
            .map(
                tier ->
                    "Rehearsal with the tier %s (%s), which each model has to itself. Nothing was"
                            .formatted(tier.name(), tier.description())
                        + " sent.")
            .orElse("Dry run. Nothing was sent."));
    for (RunResult run : runs) {
      out.println();
      print(run, out);
    }
    if (profile.isPresent()) {
      models.forEach(model -> print(model, out));
    }
    if (runs.size() > 1) {
      out.println();
      out.println("all of it");
      line(out, "calls", number(calls()));
      line(out, "price", price(cost()));
      line(out, "time", Numbers.span(seconds()));
    }
    if (isCutShort) {
      out.println();
      out.println("It was stopped: it takes longer than " + days() + " days.");
    }
    out.println();
    replaced().forEach((what, by) -> out.println("Replaced: %s: %s.".formatted(what, by)));
    out.println("Not replaced: solvers and scorers; your own code was executed.");
  }

  private void print(RunResult run, PrintWriter out) {
    out.println(Printable.line("%s on %s".formatted(run.start().task(), run.start().model())));
    line(
        out,
        "samples",
        run.start().epochs() == 1
            ? number(run.samples().total())
            : "%s × %d epochs".formatted(number(run.start().samples()), run.start().epochs()));
    line(out, "calls", calls(run));
    line(
        out,
        "tokens",
        "%s in, %s out; answers are assumed to have %d"
            .formatted(
                number(run.tokens().input()),
                number(run.tokens().output()),
                RehearsedRun.OUTPUT_TOKENS));
    line(out, "price", price(run));
    line(out, "time", time(run));
    if (run.samples().failed() > 0) {
      line(out, "errors", number(run.samples().failed()));
      run.failures().stream()
          .filter(_ -> run.error().isEmpty())
          .findFirst()
          .ifPresent(
              first ->
                  line(
                      out,
                      "",
                      Printable.line("sample %s: %s".formatted(first.id(), first.error()))));
    }
    run.error().ifPresent(error -> line(out, "error", Printable.line(error)));
    run.stopped().ifPresent(why -> line(out, "stopped", Printable.line(why)));
  }

  private void print(ModelProgress model, PrintWriter out) {
    out.println();
    out.println(Printable.line(model.model()));
    line(out, "refusals", number(model.refusals()));
    Optional<Rehearsal.NeverPassed> never = watch.neverPassed(model.model());
    never.ifPresent(calls -> line(out, "too large", tooLarge(calls)));
    line(
        out,
        "limited by",
        watch
            .limit(model.model())
            .map(
                limit ->
                    "%s, %d %% of the time"
                        .formatted(limit.words(), Math.round(100 * limit.share())))
            .or(() -> never.map(Rehearsal.NeverPassed::quota))
            .orElse(NO_LIMIT));
  }

  private static String tooLarge(Rehearsal.NeverPassed never) {
    return "%s, for the %s of this tier"
        .formatted(Numbers.count(never.calls(), "call"), never.quota());
  }

  /** What speaks against the configuration, and against the tier that was chosen. */
  List<String> warnings() {
    return Stream.concat(configuration.stream(), aboutTheTier().stream()).toList();
  }

  private List<String> aboutTheTier() {
    return profile
        .flatMap(Profile::provider)
        .map(
            provider ->
                models.stream()
                    .map(model -> ModelName.parse(model.model()))
                    .filter(model -> !model.provider().equals(provider))
                    .filter(model -> !OF_NO_PROVIDER.contains(model.provider()))
                    .map(model -> warning(profile.get().name(), provider, model))
                    .toList())
        .orElse(List.of());
  }

  private static String warning(String profile, String provider, ModelName model) {
    return Printable.line(
        "%s has the limits of %s, but %s is asked of %s; weir simulate --list-profiles names others"
            .formatted(profile, provider, model, model.provider()));
  }

  String json() {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("profile", profile.map(Profile::name));
    document.put("calls", calls());
    document.put("usd", cost().usd());
    document.put("known_usd", cost().knownUsd());
    document.put("seconds", seconds());
    document.put("longer_than_told", isCutShort);
    document.put("refusals", models.stream().mapToLong(ModelProgress::refusals).sum());
    document.put("runs", runs.stream().map(RehearsalReport::document).toList());
    document.put("models", models.stream().map(this::document).toList());
    document.put("replaced", replaced());
    document.put("warnings", warnings());
    return JSON.writeValueAsString(document);
  }

  private static Map<String, Object> document(RunResult run) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("task", run.start().task());
    document.put("model", run.start().model());
    document.put("samples", run.samples().total());
    document.put("failed", run.samples().failed());
    document.put("calls", run.models().stream().mapToLong(RunResult.ModelUse::calls).sum());
    document.put("retries", run.retries());
    document.put("input_tokens", run.tokens().input());
    document.put("output_tokens", run.tokens().output());
    document.put("usd", run.cost().usd());
    document.put("seconds", run.seconds());
    document.put("error", run.error());
    document.put("stopped", run.stopped());
    List<Map<String, Object>> roles = new ArrayList<>();
    for (RunResult.ModelUse use : run.models()) {
      Map<String, Object> role = new LinkedHashMap<>();
      role.put("role", use.role());
      role.put("model", use.model());
      role.put("calls", use.calls());
      role.put("usd", use.cost().usd());
      roles.add(role);
    }
    document.put("roles", roles);
    return document;
  }

  private Map<String, Object> document(ModelProgress model) {
    Map<String, Object> document = new LinkedHashMap<>();
    Optional<RehearsalWatch.Limit> limit = watch.limit(model.model());
    Optional<Rehearsal.NeverPassed> never = watch.neverPassed(model.model());
    document.put("model", model.model());
    document.put("refusals", model.refusals());
    document.put("too_large", never.map(Rehearsal.NeverPassed::calls).orElse(0));
    document.put(
        "limited_by",
        limit.map(RehearsalWatch.Limit::words).or(() -> never.map(Rehearsal.NeverPassed::quota)));
    document.put("limited_share", limit.map(RehearsalWatch.Limit::share));
    return document;
  }

  /** What stood in for what. */
  private Map<String, String> replaced() {
    Map<String, String> replaced = new LinkedHashMap<>();
    replaced.put(
        "models",
        "simulated; right answers of %d tokens, after %s; with tools, %d calls of them first"
            .formatted(
                RehearsedRun.OUTPUT_TOKENS,
                profile.isPresent()
                    ? "as long as the tier's profile says"
                    : "about %d s".formatted(RehearsedRun.LATENCY.toSeconds()),
                RehearsedRun.TOOL_TURNS));
    replaced.put(
        "tools and sandboxes", "not run; each call and command takes 1 s and returns nothing");
    replaced.put("log, trace and cache", "not there; nothing is read from them or written");
    replaced.put("clock and display", "virtual time and this report");
    return replaced;
  }

  static void line(PrintWriter out, String name, String value) {
    out.println(String.format(Locale.ROOT, "  %-11s %s", name, value));
  }

  static String number(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  /** By role, if there is more than the evaluated model. */
  private static String calls(RunResult run) {
    List<RunResult.ModelUse> asked =
        run.models().stream().filter(use -> use.calls() > 0 || run.models().size() == 1).toList();
    return asked.size() < 2
        ? number(asked.stream().mapToLong(RunResult.ModelUse::calls).sum())
        : String.join(
            ", ",
            asked.stream()
                .map(
                    use ->
                        "%s to %s (%s)"
                            .formatted(
                                number(use.calls()),
                                Printable.line(use.model()),
                                Printable.line(use.role())))
                .toList());
  }

  private long calls() {
    return runs.stream()
        .flatMap(run -> run.models().stream())
        .mapToLong(RunResult.ModelUse::calls)
        .sum();
  }

  private Cost cost() {
    BigDecimal known = BigDecimal.ZERO;
    long priced = 0;
    long unknown = 0;
    for (RunResult run : runs) {
      known = known.add(run.cost().knownUsd());
      priced += run.cost().pricedCalls();
      unknown += run.cost().unknownCalls();
    }
    return new Cost(unknown == 0 ? Optional.of(known) : Optional.empty(), known, priced, unknown);
  }

  static String price(Cost cost) {
    String told = Numbers.cost(cost.knownUsd(), cost.pricedCalls(), cost.unknownCalls());
    return cost.unknownCalls() == 0 ? told : told + "; give prices with --prices";
  }

  /** A model whose price is unknown may be a misspelt one. */
  private static String price(RunResult run) {
    String model = run.start().model();
    String provider = model.substring(0, model.indexOf('/') + 1);
    List<String> known =
        PriceTable.builtIn().all().keySet().stream()
            .filter(name -> name.startsWith(provider) && !name.endsWith("*"))
            .map(name -> name.substring(provider.length()))
            .toList();
    String meant =
        run.cost().unknownCalls() == 0 || provider.isEmpty()
            ? ""
            : Spelling.nearest(model.substring(provider.length()), known)
                .map(name -> "; did you mean '%s%s'?".formatted(provider, name))
                .orElse("");
    return price(run.cost()) + meant;
  }

  private String time(RunResult run) {
    String batch = run.start().config().getOrDefault("batch", "false");
    return Numbers.span(run.seconds())
        + (profile.isEmpty() ? ", without limits" : "")
        + (batch.equals("false") ? "" : ", but batches take up to a day");
  }

  private double seconds() {
    return took.toNanos() / 1e9;
  }

  private static long days() {
    return RehearsedRun.LONGEST.toDays();
  }
}
