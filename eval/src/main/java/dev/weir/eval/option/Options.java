package dev.weir.eval.option;

import dev.weir.eval.option.Option.Group;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Spelling;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Every option that a run takes, in the order of help. */
public final class Options {

  private static final Map<String, Option> BY_NAME = new LinkedHashMap<>();

  static {
    models();
    samples();
    sampleLimits();
    errors();
    regulation();
    generation();
    budget();
    LogOptions.ALL.forEach(Options::put);
  }

  private Options() {}

  public static List<Option> all() {
    return List.copyOf(BY_NAME.values());
  }

  /** Those that a selection takes beside these. */
  public static List<Option> ofSelection() {
    return SelectionOptions.ALL;
  }

  public static Optional<Option> find(String name) {
    String spelt = name.replace('_', '-');
    return Optional.ofNullable(BY_NAME.get(spelt))
        .or(
            () ->
                SelectionOptions.ALL.stream()
                    .filter(option -> option.name().equals(spelt))
                    .findFirst());
  }

  /**
   * @param name with dashes or underscores
   * @throws ConfigurationException if there is none of that name
   */
  public static Option named(String name) {
    return find(name)
        .orElseThrow(
            () ->
                new ConfigurationException(
                    "there is no option '%s'%s"
                        .formatted(name, Spelling.hint(name, BY_NAME.keySet()))));
  }

  private static void models() {
    add(
        Group.MODELS,
        "model",
        "PROVIDER/MODEL",
        "The model to evaluate, for example openai/gpt-5.6-terra, or several with commas between;"
            + " weir providers lists what it may begin with. Default: the task's.");
    addMerged(
        Group.MODELS,
        "model-args",
        "KEY=VALUE",
        "An argument for the model's provider; may be repeated. For sim: accuracy, latency, rpm,"
            + " burst, headers, error-rate, credit; for others see docs/models.md.");
    addMerged(
        Group.MODELS,
        "model-role",
        "ROLE=PROVIDER/MODEL",
        "A model for another part, such as grader=openai/gpt-5.6-terra; may be repeated. Default:"
            + " the evaluated model plays all parts.");
    add(
        Group.MODELS,
        "model-base-url",
        "URL",
        "Where the model's server is, such as http://127.0.0.1:8080/v1. Default: the provider's"
            + " variable, such as OPENAI_BASE_URL, else its usual place.");
    addAlone(
        Group.MODELS,
        "cache",
        "AGE",
        "Cache answers on disk, and reuse those that are at most AGE old instead of calling again:"
            + " --cache (7 days), --cache=12h, --cache=never. See weir cache. Default: false.",
        "true");
    addAlone(
        Group.MODELS,
        "batch",
        "SIZE",
        "Send requests in batches of SIZE (100), which cost less and take up to a day: openai and"
            + " anthropic. A run that was killed picks its batches up again. Default: false.",
        "true");
    add(
        Group.MODELS,
        "batch-delay",
        "TIME",
        "Send a smaller batch once its first request has waited for TIME. Default: 15s.");
    add(Group.MODELS, "batch-poll", "TIME", "How often to check batches. Default: 15s.");
    add(
        Group.MODELS,
        "prices",
        "FILE",
        "Prices that win over the built-in ones; see docs/models.md.");
  }

  private static void samples() {
    add(
        Group.SAMPLES,
        "limit",
        "N",
        "Evaluate only the first N samples, or a range such as 11-20. Default: all.");
    add(
        Group.SAMPLES,
        "sample-id",
        "ID[,ID]",
        "Evaluate only these samples; * stands for any text. Default: all.");
    addAlone(
        Group.SAMPLES,
        "sample-shuffle",
        "SEED",
        "Shuffle the samples before a limit is applied: --sample-shuffle (by --seed),"
            + " --sample-shuffle=42. Default: false.",
        "true");
    add(Group.SAMPLES, "epochs", "N", "Repeat each sample N times. Default: 1.");
    add(
        Group.SAMPLES,
        "epochs-reducer",
        "NAME[,NAME]",
        "Combine the scores of a repeated sample by: mean, median, mode, max, at_least_K,"
            + " pass_at_K, pass_k_K. Default: mean.");
    add(
        Group.SAMPLES,
        "seed",
        "N",
        "The seed of every random choice: the same seed gives the same scores. Default: random;"
            + " printed with the result.");
    addMerged(
        Group.SAMPLES,
        "task-args",
        "KEY=VALUE",
        "An argument of the task: a variable of a task file, a parameter of a Java method; may be"
            + " repeated.");
    add(
        Group.SAMPLES,
        "max-samples",
        "N",
        "At most N samples open at once. Default: as many as keep the models busy (mode aimd: the"
            + " window + 5).");
    add(Group.SAMPLES, "max-tasks", "N", "At most N tasks running at once. Default: 10.");
    add(
        Group.SAMPLES,
        "max-sandboxes",
        "N",
        "At most N sandboxes open at once. Default: twice as many as there are processors; any"
            + " number of local ones.");
    add(
        Group.SAMPLES,
        "max-subprocesses",
        "N",
        "At most N commands running in sandboxes at once. Default: as many as there are"
            + " processors.");
    addAlone(
        Group.SAMPLES,
        "no-validate",
        "BOOL",
        "Skip the validation of samples before the first call. Default: false.",
        "true");
  }

  private static void sampleLimits() {
    add(
        Group.SAMPLE_LIMITS,
        "time-limit",
        "TIME",
        "End a sample after TIME, waiting included, and score its current state. Plain numbers are"
            + " seconds. Default: no limit.");
    add(
        Group.SAMPLE_LIMITS,
        "working-limit",
        "TIME",
        "End a sample after TIME and score its current state. Time spent waiting for limits and"
            + " retries, and in failed attempts, does not count. Plain numbers are seconds."
            + " Default: no limit.");
    add(
        Group.SAMPLE_LIMITS,
        "message-limit",
        "N",
        "End a sample when N messages would be passed to the model. Default: no limit.");
    add(
        Group.SAMPLE_LIMITS,
        "token-limit",
        "TOKENS",
        "End a sample that has used more: 500k, output:1m, (input*0.1)+output:1m. Default: no"
            + " limit.");
    add(
        Group.SAMPLE_LIMITS,
        "turn-limit",
        "N",
        "End a sample after N answers of the model. Default: no limit.");
    add(
        Group.SAMPLE_LIMITS,
        "cost-limit",
        "USD",
        "End a sample that has cost more; prices must be known. Default: no limit.");
  }

  private static void errors() {
    addAlone(
        Group.ERRORS,
        "fail-on-error",
        "X",
        "When failed samples end the run: true or 0 at the first, false never, 0.1 when more than"
            + " a tenth have failed, 5 when more than 5 have. Default: true.",
        "true");
    addAlone(
        Group.ERRORS,
        "continue-on-fail",
        "BOOL",
        "Run all samples even if --fail-on-error says that too many have failed, and fail the run"
            + " at the end. Default: false.",
        "true");
    addAlone(
        Group.ERRORS,
        "retry-on-error",
        "N",
        "Run a failed sample again, up to N times: --retry-on-error (once), --retry-on-error=3."
            + " Default: 0.",
        "1");
    add(
        Group.ERRORS,
        "scorer-retries",
        "N",
        "Retry a scorer that fails, such as a grader that gives no grade, up to N times before its"
            + " sample fails. Default: 1.");
    addAlone(
        Group.ERRORS,
        "score-on-error",
        "BOOL",
        "Score the current state of a failed sample; it still counts as failed. Default: false.",
        "true");
  }

  private static void regulation() {
    add(
        Group.REGULATION,
        "concurrency-mode",
        "MODE",
        "How calls are regulated: pace (learns the provider's limits and sends as fast as they"
            + " allow), static (--max-connections), aimd (--adaptive-connections) or halving."
            + " Default: what the other options choose, else pace.");
    add(
        Group.REGULATION,
        "max-connections",
        "N",
        "Keep at most N calls to each model in flight: the fixed window of mode static, an upper"
            + " bound in mode pace. --max-concurrency bounds all models together, --max-concurrent"
            + " those of weir select. Default: 10 in mode static, 2000 in mode pace.");
    add(
        Group.REGULATION,
        "adaptive-connections",
        "RANGE",
        "Mode aimd: true for 4-20-200, a maximum, min-max or min-start-max; false for a fixed"
            + " window of 10. --max-connections wins over it.");
    add(
        Group.REGULATION,
        "cooldown-seconds",
        "TIME",
        "Mode aimd: wait TIME after a cut before changing the window again; Retry-After and reset"
            + " headers extend the wait. Default: 15.");
    add(
        Group.REGULATION,
        "decrease-factor",
        "N",
        "Mode aimd: multiply the window by N, between 0 and 1, when the provider refuses calls."
            + " Default: 0.8.");
    add(
        Group.REGULATION,
        "scale-up-percent",
        "N",
        "Mode aimd: grow the window by this share of it, above 0 and at most 1, after each clean"
            + " round. Default: 0.05.");
    add(
        Group.REGULATION,
        "max-concurrency",
        "N",
        "Keep at most N calls in flight over all models of the run; in mode halving, also the first"
            + " window of each model. --max-connections bounds each model, --max-concurrent the"
            + " calls of weir select. Default: no bound (mode halving: 4).");
    add(
        Group.REGULATION,
        "min-concurrency",
        "N",
        "Modes halving and aimd: never cut the window below N; no effect in the other modes."
            + " Default: 1 in mode halving, 4 or that of the range in mode aimd.");
    add(
        Group.REGULATION,
        "rpm",
        "N",
        "Send at most N requests per minute to each evaluated model, in every mode; mode pace"
            + " starts there, and responses can only lower it. Default: no bound (mode pace:"
            + " learned from responses).");
    add(
        Group.REGULATION,
        "tpm",
        "N",
        "Use at most N tokens per minute of each evaluated model, in every mode; mode pace starts"
            + " there, and responses can only lower it. Default: no bound (mode pace: learned from"
            + " responses).");
    add(
        Group.REGULATION,
        "delay",
        "TIME",
        "Leave at least TIME between the starts of two calls, such as 250ms. Plain numbers are"
            + " milliseconds. Default: none.");
    add(
        Group.REGULATION,
        "max-retries",
        "N",
        "Fail a request after N retries, even while its provider is unreachable. Default: no limit"
            + " (mode halving: 3).");
    add(
        Group.REGULATION,
        "timeout",
        "TIME",
        "Fail a request after TIME, all attempts and waits included. Plain numbers are seconds."
            + " Default: no limit.");
    add(
        Group.REGULATION,
        "attempt-timeout",
        "TIME",
        "Interrupt an attempt after TIME and retry; plain numbers are seconds. auto: abandon an"
            + " attempt that stays silent for 5 times the 99th percentile of earlier answers (at"
            + " least 60s, 10m where the model reasons; 10m until 20 answers are known). off: no"
            + " limit. Default: auto (off for batches and with --self-hosted).");
    add(
        Group.REGULATION,
        "queue-timeout",
        "TIME",
        "Fail a request that has been queued for TIME; 0 means no limit. Plain numbers are seconds."
            + " Default: no limit (mode halving: 300s).");
    add(
        Group.REGULATION,
        "request-backoff",
        "TIME",
        "The first wait after a broken connection or another transient failure; it doubles from one"
            + " retry to the next. Default: 1s (modes static and aimd: 3s).");
    addAlone(
        Group.REGULATION,
        "retry-5xx",
        "BOOL",
        "Try again after HTTP 500. Default: true (mode halving: false).",
        "true");
    addAlone(
        Group.REGULATION,
        "self-hosted",
        "BOOL",
        "Let mode pace regulate by latency, for a self-hosted server that queues excess requests."
            + " Default: false.",
        "true");
    add(
        Group.REGULATION,
        "max-poisoned-attempts",
        "N",
        "Fail a request after N attempts over at least 10 minutes if all of them failed while other"
            + " requests succeeded; its sample fails after all others have finished. off: retry"
            + " indefinitely. Default: 8 (modes static, aimd and halving: off).");
    add(
        Group.REGULATION,
        "max-outage",
        "TIME",
        "End a run when no request to a model has been answered for TIME (connection failures and"
            + " HTTP 5xx only); weir eval-retry resumes it. off: wait indefinitely. A provider that"
            + " has never answered ends its run after 60 s in any case. Plain numbers are seconds."
            + " Default: 2h; off on a terminal.");
    addAlone(
        Group.REGULATION,
        "memory",
        "BOOL",
        "Start from the limits that earlier runs learned, and save what this run learns (mode"
            + " pace); --no-memory turns it off. See weir limits. Java programs turn it on with"
            + " memory(true). Default: true.",
        "true");
    add(
        Group.REGULATION,
        "engine-limits",
        "FILE",
        "What model engines allow, in YAML or JSON: calls in flight, requests and tokens per"
            + " minute, for each engine and model. Read again when it changes. See"
            + " docs/engine-limits.md. Default: none.");
  }

  private static void generation() {
    add(Group.GENERATION, "temperature", "N", "From 0 to 2. Default: the provider's.");
    add(Group.GENERATION, "top-p", "N", "From 0 to 1. Default: the provider's.");
    add(
        Group.GENERATION,
        "max-tokens",
        "N",
        "The most tokens an answer may have, reasoning included. Default: the provider's.");
    add(Group.GENERATION, "stop-seqs", "TEXT[,TEXT]", "Texts at which an answer ends.");
    add(
        Group.GENERATION,
        "reasoning-effort",
        "EFFORT",
        "none, minimal, low, medium, high or xhigh; for models that reason.");
    add(Group.GENERATION, "response-schema", "JSON", "The JSON schema that answers must have.");
    add(
        Group.GENERATION,
        "extra-body",
        "JSON",
        "Fields to add to the body of each request, as a JSON object.");
  }

  private static void budget() {
    add(
        Group.BUDGET,
        "max-cost",
        "USD",
        "Stop the run cleanly when its calls have cost so much; prices must be known. Default:"
            + " no limit.");
    add(
        Group.BUDGET,
        "max-tokens-total",
        "TOKENS",
        "Stop the run cleanly when its calls have taken so many tokens, such as 5m. Default:"
            + " no limit.");
    addMerged(
        Group.BUDGET,
        "threshold",
        "METRIC=VALUE",
        "Exit with code 1 if METRIC is below VALUE, such as accuracy=0.8; may be repeated.");
  }

  private static void add(Group group, String name, String label, String description) {
    put(new Option(name, group, label, description, Optional.empty(), false));
  }

  private static void addAlone(
      Group group, String name, String label, String description, String alone) {
    put(new Option(name, group, label, description, Optional.of(alone), false));
  }

  private static void addMerged(Group group, String name, String label, String description) {
    put(new Option(name, group, label, description, Optional.empty(), true));
  }

  private static void put(Option option) {
    BY_NAME.put(option.name(), option);
  }
}
