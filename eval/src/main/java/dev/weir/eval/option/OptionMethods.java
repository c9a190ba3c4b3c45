package dev.weir.eval.option;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A method for each option of a run, under its name: what is {@code --max-connections} on the
 * command line and {@code max_connections} in a task file is {@code maxConnections} here. What was
 * given for the option before is replaced.
 *
 * <p>{@link Options} has the full description of each, and its default.
 *
 * @param <T> what the methods return, to go on with
 */
public interface OptionMethods<T> {

  /**
   * Any option by its name.
   *
   * @param name as on the command line or in a task file: {@code max-connections}, {@code
   *     max_connections}
   * @param value a text as it would be written there, a number, a flag, a duration, a path, or a
   *     list or map of such
   * @throws dev.weir.model.ConfigurationException if there is no such option, or it cannot have
   *     this value
   */
  T option(String name, Object value);

  /** The models to evaluate, as {@code provider/model}. */
  default T model(String... names) {
    return option("model", String.join(",", names));
  }

  /** Arguments for the provider of the evaluated model. */
  default T modelArgs(Map<String, ?> arguments) {
    return option("model-args", arguments);
  }

  /** Models for other parts, by role: {@code grader}. */
  default T modelRole(Map<String, String> models) {
    return option("model-role", models);
  }

  /** Where the server of the model is. */
  default T modelBaseUrl(String url) {
    return option("model-base-url", url);
  }

  /** Whether answers are kept on disk, and those of the last 7 days taken from there. */
  default T cache(boolean kept) {
    return option("cache", kept);
  }

  /** How old an answer from disk may be: {@code 12h}, {@code never} for any age. */
  default T cache(String age) {
    return option("cache", age);
  }

  /** Whether requests are sent in batches, of 100. */
  default T batch(boolean gathered) {
    return option("batch", gathered);
  }

  /** How many requests a batch has. */
  default T batch(int size) {
    return option("batch", size);
  }

  /** How long the first request of a batch waits for others. */
  default T batchDelay(Duration wait) {
    return option("batch-delay", wait);
  }

  /** How often batches are looked after. */
  default T batchPoll(Duration interval) {
    return option("batch-poll", interval);
  }

  /** Prices that win over the built-in ones. */
  default T prices(Path file) {
    return option("prices", file);
  }

  /** Only so many samples, the first. */
  default T limit(int first) {
    return option("limit", first);
  }

  /** Only the samples from one to another, counted from 1. */
  default T limit(int first, int last) {
    return option("limit", first + "-" + last);
  }

  /** Only these samples; {@code *} stands for any text. */
  default T sampleId(String... ids) {
    return option("sample-id", List.of(ids));
  }

  /** Whether samples are shuffled, by the seed of the run. */
  default T sampleShuffle(boolean shuffled) {
    return option("sample-shuffle", shuffled);
  }

  /** Shuffles the samples by a seed of its own. */
  default T sampleShuffle(long seed) {
    return option("sample-shuffle", seed);
  }

  /** How often each sample is run. */
  default T epochs(int times) {
    return option("epochs", times);
  }

  /** What becomes of the scores of a repeated sample: {@code pass_at_2}. */
  default T epochsReducer(String... reducers) {
    return option("epochs-reducer", List.of(reducers));
  }

  /** What every random choice depends on. */
  default T seed(long seed) {
    return option("seed", seed);
  }

  /** Arguments of the task. */
  default T taskArgs(Map<String, ?> arguments) {
    return option("task-args", arguments);
  }

  /** How many samples may be open at once. */
  default T maxSamples(int open) {
    return option("max-samples", open);
  }

  /** How many tasks may run at once. */
  default T maxTasks(int running) {
    return option("max-tasks", running);
  }

  /** How many sandboxes may be open at once. */
  default T maxSandboxes(int open) {
    return option("max-sandboxes", open);
  }

  /** How many commands may run in sandboxes at once. */
  default T maxSubprocesses(int running) {
    return option("max-subprocesses", running);
  }

  /** Whether samples are not looked at before the first call. */
  default T noValidate(boolean unseen) {
    return option("no-validate", unseen);
  }

  /** How long a sample may take, waiting included. */
  default T timeLimit(Duration perSample) {
    return option("time-limit", perSample);
  }

  /** How long a sample may take without waiting and attempts that failed. */
  default T workingLimit(Duration perSample) {
    return option("working-limit", perSample);
  }

  /** How many messages a sample may pass to the model. */
  default T messageLimit(int perSample) {
    return option("message-limit", perSample);
  }

  /** How many tokens a sample may use. */
  default T tokenLimit(long perSample) {
    return option("token-limit", perSample);
  }

  /** The same with a formula or a suffix: {@code output:1m}. */
  default T tokenLimit(String perSample) {
    return option("token-limit", perSample);
  }

  /** How many answers of the model a sample may have. */
  default T turnLimit(int perSample) {
    return option("turn-limit", perSample);
  }

  /** What a sample may cost. */
  default T costLimit(double dollars) {
    return option("cost-limit", dollars);
  }

  /** Whether the first sample that fails ends the run. */
  default T failOnError(boolean atOnce) {
    return option("fail-on-error", atOnce);
  }

  /** The run fails when more have: 0.1 is a tenth of the samples, 5 are five. */
  default T failOnError(double shareOrNumber) {
    return option("fail-on-error", shareOrNumber);
  }

  /** Whether all samples are run even so. */
  default T continueOnFail(boolean all) {
    return option("continue-on-fail", all);
  }

  /** How often a sample that failed is run again. */
  default T retryOnError(int times) {
    return option("retry-on-error", times);
  }

  /** How often a scorer that fails, such as a grader that gives no grade, is retried. */
  default T scorerRetries(int times) {
    return option("scorer-retries", times);
  }

  /** Whether what there is of a failed sample is scored. */
  default T scoreOnError(boolean scored) {
    return option("score-on-error", scored);
  }

  /** How calls are regulated: {@code pace}, {@code static}, {@code aimd} or {@code halving}. */
  default T concurrencyMode(String mode) {
    return option("concurrency-mode", mode);
  }

  /** How many calls to a model may be in flight. */
  default T maxConnections(int calls) {
    return option("max-connections", calls);
  }

  /** Whether that number adapts, between 4 and 200. */
  default T adaptiveConnections(boolean adaptive) {
    return option("adaptive-connections", adaptive);
  }

  /** Between which numbers it adapts: {@code 4-80} or {@code 4-20-80}. */
  default T adaptiveConnections(String range) {
    return option("adaptive-connections", range);
  }

  /** With adaptive connections, the least time between two cuts. */
  default T cooldownSeconds(double seconds) {
    return option("cooldown-seconds", seconds);
  }

  /** With adaptive connections, what a cut leaves of the number, between 0 and 1. */
  default T decreaseFactor(double factor) {
    return option("decrease-factor", factor);
  }

  /** With adaptive connections, the share of the number that a clean round adds: 0.05. */
  default T scaleUpPercent(double share) {
    return option("scale-up-percent", share);
  }

  /** How many calls may be in flight over all models. */
  default T maxConcurrency(int calls) {
    return option("max-concurrency", calls);
  }

  /** Below which number of calls in flight nothing is cut. */
  default T minConcurrency(int calls) {
    return option("min-concurrency", calls);
  }

  /** Requests per minute of the tier, if they are known. */
  default T rpm(double requests) {
    return option("rpm", requests);
  }

  /** Tokens per minute of the tier, if they are known. */
  default T tpm(double tokens) {
    return option("tpm", tokens);
  }

  /** The least time between the starts of two calls. */
  default T delay(Duration gap) {
    return option("delay", gap);
  }

  /** After how many retries a request is given up. */
  default T maxRetries(int times) {
    return option("max-retries", times);
  }

  /** How long a request may take with all its attempts and waits. */
  default T timeout(Duration perRequest) {
    return option("timeout", perRequest);
  }

  /** How long an attempt may take. */
  default T attemptTimeout(Duration perAttempt) {
    return option("attempt-timeout", perAttempt);
  }

  /** {@code auto} to abandon attempts that hang, {@code off} for no limit. */
  default T attemptTimeout(String rule) {
    return option("attempt-timeout", rule);
  }

  /** After how many attempts a request is given up that fails while others succeed. */
  default T maxPoisonedAttempts(int attempts) {
    return option("max-poisoned-attempts", attempts);
  }

  /** {@code off} to retry indefinitely. */
  default T maxPoisonedAttempts(String rule) {
    return option("max-poisoned-attempts", rule);
  }

  /** How long a model may be unreachable before its run ends. */
  default T maxOutage(Duration longest) {
    return option("max-outage", longest);
  }

  /** {@code off}, or a duration as it is written in a task. */
  default T maxOutage(String rule) {
    return option("max-outage", rule);
  }

  /** How long a request may wait for its turn; zero for any time. */
  default T queueTimeout(Duration perRequest) {
    return option("queue-timeout", perRequest);
  }

  /** The first wait after a failure that passes. */
  default T requestBackoff(Duration first) {
    return option("request-backoff", first);
  }

  /** Whether a request is tried again after HTTP 500. */
  default T retry5xx(boolean again) {
    return option("retry-5xx", again);
  }

  /** Whether the server is one's own and queues what it cannot do. */
  default T selfHosted(boolean own) {
    return option("self-hosted", own);
  }

  /**
   * Whether the run starts from limits that earlier runs learned, and saves what it learns. On by
   * default on the command line, off in programs; JUnit tests never use it.
   */
  default T memory(boolean used) {
    return option("memory", used);
  }

  /** A file of what model engines allow. */
  default T engineLimits(Path file) {
    return option("engine-limits", file);
  }

  /** From 0 to 2. */
  default T temperature(double temperature) {
    return option("temperature", temperature);
  }

  /** From 0 to 1. */
  default T topP(double share) {
    return option("top-p", share);
  }

  /** How many tokens an answer may have, reasoning included. */
  default T maxTokens(int perAnswer) {
    return option("max-tokens", perAnswer);
  }

  /** Texts at which an answer ends. */
  default T stopSeqs(String... texts) {
    return option("stop-seqs", List.of(texts));
  }

  /** How much the model reasons: {@code none} to {@code xhigh}. */
  default T reasoningEffort(String effort) {
    return option("reasoning-effort", effort);
  }

  /** The JSON schema that answers must have. */
  default T responseSchema(String json) {
    return option("response-schema", json);
  }

  /** Fields to add to the body of each request, as a JSON object. */
  default T extraBody(String json) {
    return option("extra-body", json);
  }

  /** What all runs together may cost. */
  default T maxCost(double dollars) {
    return option("max-cost", dollars);
  }

  /** How many tokens all runs together may use. */
  default T maxTokensTotal(long tokens) {
    return option("max-tokens-total", tokens);
  }

  /** The least values of metrics: {@code accuracy}. */
  default T threshold(Map<String, Double> least) {
    return option("threshold", least);
  }

  /** Where the log is written. */
  default T logDir(Path directory) {
    return option("log-dir", directory);
  }

  /** How much may wait in memory while the log cannot be written: {@code 256MB}. */
  default T logBuffer(String size) {
    return option("log-buffer", size);
  }

  /** What is told while it runs: {@code warning}, {@code info}, {@code http} or {@code debug}. */
  default T logLevel(String level) {
    return option("log-level", level);
  }

  /** Whether the trace keeps what was asked and answered. */
  default T traceBodies(boolean kept) {
    return option("trace-bodies", kept);
  }

  /**
   * Where metrics are served while the run lasts; 0 for any port that is free. The command {@code
   * weir} serves them; a program needs {@code Host.withMetrics}.
   */
  default T metricsPort(int port) {
    return option("metrics-port", port);
  }

  /** The address at which metrics are served, if not on this machine only. */
  default T metricsHost(String address) {
    return option("metrics-host", address);
  }

  /** Words to find the run by. */
  default T tags(String... words) {
    return option("tags", List.of(words));
  }

  /** What is kept in the log. */
  default T metadata(Map<String, ?> pairs) {
    return option("metadata", pairs);
  }
}
