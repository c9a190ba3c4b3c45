package dev.weir.eval.option;

import dev.weir.eval.sample.SampleLimits;
import dev.weir.eval.sample.TokenLimit;
import dev.weir.model.ConfigurationException;
import dev.weir.model.GenerationSettings;
import dev.weir.model.ModelName;
import java.math.BigDecimal;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What the settings of a run mean.
 *
 * @param model those to evaluate: {@code provider/model}
 * @param modelArguments given to the provider
 * @param modelRoles models for other parts than that of the evaluated one: {@code grader}
 * @param models how models are reached and asked
 * @param samples which samples are run, and how many at a time
 * @param sampleLimits what each may use
 * @param errors what becomes of those that fail
 * @param limits what regulates the calls
 * @param budget what the whole run may use, and must reach
 * @param trace what is told of single calls
 * @param seed what every random choice depends on
 * @param log what is kept of it
 */
public record RunOptions(
    List<String> model,
    Map<String, String> modelArguments,
    Map<String, String> modelRoles,
    ModelOptions models,
    SampleOptions samples,
    SampleLimits sampleLimits,
    ErrorOptions errors,
    LimitOptions limits,
    BudgetOptions budget,
    TraceOptions trace,
    Optional<Long> seed,
    LogOptions log) {

  public static final RunOptions NONE = parse(OptionWords.NONE);

  public RunOptions {
    model = List.copyOf(model);
    modelArguments = Map.copyOf(modelArguments);
    modelRoles = Map.copyOf(modelRoles);
  }

  /**
   * @throws ConfigurationException if a word cannot be used, with where it stands
   */
  public static RunOptions parse(OptionWords words) {
    var reader = new OptionReader(words);
    return new RunOptions(
        models(words),
        reader.pairs("model-args"),
        reader
            .read(
                "model-role",
                Pairs::parse,
                "of the form role=provider/model, for example grader=openai/gpt-5.6-terra")
            .orElse(Map.of()),
        ModelOptions.parse(words),
        SampleOptions.parse(words),
        sampleLimits(reader),
        ErrorOptions.parse(words),
        LimitOptions.parse(words),
        BudgetOptions.parse(words),
        TraceOptions.parse(words),
        reader.read("seed", RunOptions::seed, "a whole number of at most 64 bits"),
        LogOptions.parse(words));
  }

  /** Where the log is written. */
  public Optional<Path> logDir() {
    return log.directory();
  }

  /** How answers are made. A seed that the user gave is for the provider, too. */
  public GenerationSettings generation() {
    return seed.map(models.generation()::withSeed).orElse(models.generation());
  }

  private static SampleLimits sampleLimits(OptionReader reader) {
    return new SampleLimits(
        reader.duration("time-limit", "s", Duration.ofMillis(1)),
        reader.duration("working-limit", "s", Duration.ofMillis(1)),
        reader.whole("message-limit", 1),
        reader.read("token-limit", TokenLimit::tryParse, TokenLimit.RULE),
        reader.whole("turn-limit", 1),
        reader.dollars("cost-limit"));
  }

  private static List<String> models(OptionWords words) {
    return words
        .word("model")
        .map(
            word ->
                names(word)
                    .orElseThrow(
                        () ->
                            words.wrong(
                                "model",
                                ("must be of the form provider/model, or several with commas"
                                        + " between, was '%s'%s")
                                    .formatted(word, suggestion(word)))))
        .orElse(List.of());
  }

  /** Models that lack a provider, with the one that they probably belong to. */
  private static String suggestion(String word) {
    List<String> given =
        word.stripLeading().startsWith("[")
            ? Texts.parse(word).orElse(List.of())
            : List.of(word.split(",", -1));
    String suggested =
        given.stream()
            .map(String::strip)
            .map(name -> ModelName.suggested(name).map(ModelName::toString).orElse(name))
            .collect(Collectors.joining(","));
    return names(suggested).isPresent() ? "; did you mean '%s'?".formatted(suggested) : "";
  }

  /** A comma may also separate the arguments of a model: {@code sim/x:latency=1s,rpm=60}. */
  static Optional<List<String>> names(String word) {
    List<String> names =
        word.stripLeading().startsWith("[")
            ? Texts.parse(word).orElse(List.of())
            : Arrays.stream(
                    withoutEmpty(word).split(",(?=\\s*(?:[\\w.-]+(?:@[\\w-]+)?/|exec:|http:))", -1))
                .map(String::strip)
                .toList();
    try {
      names.forEach(ModelName::parse);
      return Optional.of(names);
    } catch (ConfigurationException malformed) {
      return Optional.empty();
    }
  }

  /** A comma too many, at an end or before another, separates nothing. */
  private static String withoutEmpty(String word) {
    return word.strip().replaceAll("(?:\\s*,)+\\s*$|^\\s*,+", "").replaceAll(",(?:\\s*,)+", ",");
  }

  private static Optional<Long> seed(String word) {
    try {
      return Optional.of(Long.parseLong(word));
    } catch (NumberFormatException notANumber) {
      return Optional.empty();
    }
  }

  static Optional<Path> path(String word) {
    try {
      return Optional.of(Path.of(word)).filter(_ -> !word.isBlank());
    } catch (InvalidPathException malformed) {
      return Optional.empty();
    }
  }

  /**
   * Which samples are run, and how many at a time.
   *
   * @param range the first and the last of them, from 1
   * @param ids only these; {@code *} stands for any text
   * @param shuffle {@code true} or a seed
   * @param epochs how often each is run
   * @param reducers what becomes of the scores of a repeated sample
   * @param arguments of the task
   */
  public record SampleOptions(
      Optional<Range> range,
      List<String> ids,
      Optional<String> shuffle,
      Optional<Integer> epochs,
      List<String> reducers,
      Map<String, String> arguments,
      Optional<Integer> maxSamples,
      Optional<Integer> maxTasks,
      Optional<Integer> maxSandboxes,
      Optional<Integer> maxSubprocesses,
      Optional<Boolean> noValidate) {

    public SampleOptions {
      ids = List.copyOf(ids);
      reducers = List.copyOf(reducers);
      arguments = Map.copyOf(arguments);
    }

    /** The first and the last of the samples, from 1. */
    public record Range(int first, int last) {}

    static SampleOptions parse(OptionWords words) {
      var reader = new OptionReader(words);
      return new SampleOptions(
          reader.read(
              "limit",
              SampleOptions::range,
              reader.wholeRule("limit", 1) + ", or a range such as 11-20 with the smaller first"),
          reader.texts("sample-id"),
          reader.read(
              "sample-shuffle",
              word -> Optional.of(word).filter(w -> w.matches("true|false|-?\\d{1,18}")),
              "true, false or a seed"),
          reader.whole("epochs", 1),
          reader.texts("epochs-reducer"),
          reader.pairs("task-args"),
          reader.whole("max-samples", 1),
          reader.whole("max-tasks", 1),
          reader.whole("max-sandboxes", 1),
          reader.whole("max-subprocesses", 1),
          reader.flag("no-validate"));
    }

    private static Optional<Range> range(String word) {
      try {
        String[] ends = word.split("-", -1);
        int first = ends.length == 2 ? Integer.parseInt(ends[0]) : 1;
        int last = Integer.parseInt(ends[ends.length - 1]);
        return Optional.of(new Range(first, last))
            .filter(_ -> ends.length <= 2 && first >= 1 && last >= first);
      } catch (NumberFormatException notANumber) {
        return Optional.empty();
      }
    }
  }

  /**
   * What becomes of a run whose samples fail.
   *
   * @param failOnError 0 at once, infinity never, a share below 1, or a number: when more have
   *     failed
   * @param retryOnError how often a failed sample is run again
   * @param scorerRetries how often a scorer that fails is retried before its sample fails
   */
  public record ErrorOptions(
      Optional<Double> failOnError,
      Optional<Boolean> continueOnFail,
      Optional<Integer> retryOnError,
      Optional<Integer> scorerRetries,
      Optional<Boolean> scoreOnError) {

    private static final int SCORER_RETRIES = 1;

    static ErrorOptions parse(OptionWords words) {
      var reader = new OptionReader(words);
      return new ErrorOptions(
          reader.read(
              "fail-on-error",
              ErrorOptions::threshold,
              "true, false, a share of the samples such as 0.1, or a number of them such as 5"),
          reader.flag("continue-on-fail"),
          reader.read(
              "retry-on-error", ErrorOptions::times, "true, false, or how often, at most 1000"),
          reader.whole("scorer-retries", 0),
          reader.flag("score-on-error"));
    }

    /** As given, or as usual. */
    public int mostScorerRetries() {
      return scorerRetries.orElse(SCORER_RETRIES);
    }

    private static Optional<Double> threshold(String word) {
      return switch (word) {
        case "true" -> Optional.of(0.0);
        case "false" -> Optional.of(Double.POSITIVE_INFINITY);
        default -> {
          try {
            yield Optional.of(Double.parseDouble(word)).filter(x -> x >= 0 && x <= 1e9);
          } catch (NumberFormatException notANumber) {
            yield Optional.empty();
          }
        }
      };
    }

    private static Optional<Integer> times(String word) {
      return switch (word) {
        case "true" -> Optional.of(1);
        case "false" -> Optional.of(0);
        default -> {
          try {
            yield Optional.of(Integer.parseInt(word)).filter(n -> n >= 0 && n <= 1000);
          } catch (NumberFormatException notANumber) {
            yield Optional.empty();
          }
        }
      };
    }
  }

  /**
   * What a whole run may use, and must reach.
   *
   * @param thresholds the least value of metrics
   */
  public record BudgetOptions(
      Optional<BigDecimal> maxCost, Optional<Long> maxTokensTotal, Map<String, Double> thresholds) {

    public BudgetOptions {
      thresholds = Map.copyOf(thresholds);
    }

    static BudgetOptions parse(OptionWords words) {
      var reader = new OptionReader(words);
      return new BudgetOptions(
          reader.dollars("max-cost"),
          reader
              .read(
                  "max-tokens-total",
                  word -> TokenLimit.tryParse(word).filter(limit -> limit.formula().isEmpty()),
                  "a number of tokens such as 500k or 5m")
              .map(TokenLimit::limit),
          reader
              .read(
                  "threshold",
                  word -> Pairs.parse(word).flatMap(BudgetOptions::numbers),
                  "of the form metric=value, for example accuracy=0.8")
              .orElse(Map.of()));
    }

    private static Optional<Map<String, Double>> numbers(Map<String, String> pairs) {
      try {
        Map<String, Double> numbers = new java.util.LinkedHashMap<>();
        pairs.forEach((metric, value) -> numbers.put(metric, Double.parseDouble(value)));
        // Nothing reaches what is not a number.
        return Optional.of(numbers)
            .filter(found -> found.values().stream().allMatch(Double::isFinite));
      } catch (NumberFormatException notANumber) {
        return Optional.empty();
      }
    }
  }
}
