package dev.weir.eval.option;

import dev.weir.eval.option.Option.Group;
import dev.weir.model.ConfigurationException;
import dev.weir.model.DurationText;
import dev.weir.model.Spelling;
import dev.weir.selection.Failures;
import dev.weir.selection.Objective;
import dev.weir.selection.Schedule;
import dev.weir.selection.Selector;
import dev.weir.selection.Selectors;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What the settings of a selection mean.
 *
 * @param maxConcurrent calls in flight at most
 * @param speculate whether slots that are free are used for what is likely to be decided next
 * @param budget what it may use at most
 * @param delta one minus the confidence of intervals; where it is given, also of the selector
 */
public record SelectionOptions(
    Selector selector,
    Objective objective,
    Failures failures,
    Schedule schedule,
    int maxConcurrent,
    boolean speculate,
    Budget budget,
    double delta) {

  static final List<Option> ALL =
      List.of(
          option(
              "selector",
              "NAME",
              "How evaluations are spent: %s. Default: auto."
                  .formatted(String.join(", ", Selectors.names()))),
          new Option(
              "selector-args",
              Group.SELECTION,
              "KEY=VALUE",
              "A parameter of the selector, such as delta=0.1; may be repeated. docs/selection.md"
                  + " has them all.",
              Optional.empty(),
              true),
          option(
              "objective",
              "NAME",
              "What is best: score; cheapest or fastest (within --within of the best score);"
                  + " weighted (--cost-weight, --latency-weight); pareto. Default: score."),
          option(
              "within",
              "POINTS",
              "How far below the best score the cheapest or fastest may be, from 0 to 1. Default:"
                  + " 0.02."),
          option(
              "cost-weight",
              "POINTS",
              "With --objective weighted, how much score --cost-scale dollars are worth. Default:"
                  + " 0."),
          option(
              "cost-scale",
              "USD",
              "Dollars of one evaluation that cost --cost-weight; more counts the same. Default:"
                  + " 0.01."),
          option(
              "latency-weight",
              "POINTS",
              "With --objective weighted, how much score --latency-scale is worth. Default: 0."),
          option(
              "latency-scale",
              "TIME",
              "Time of one evaluation that costs --latency-weight; more counts the same. Default:"
                  + " 10s."),
          option(
              "delta",
              "CHANCE",
              "One minus the confidence of intervals, of what is within points and of what the"
                  + " selector guarantees. Default: 0.05."),
          option(
              "budget",
              "AMOUNT",
              "What the selection may use at most: 25% of what brute force needs, 500 evaluations,"
                  + " $2.50, or 30m. Several with commas between. Default: no bound."),
          option(
              "max-concurrent",
              "N",
              "Keep at most N calls in flight over all combinations, those of graders included."
                  + " --max-connections bounds each model, --max-concurrency all models of a run."
                  + " Default: 20."),
          new Option(
              "sequential",
              Group.SELECTION,
              "BOOL",
              "One call at a time; not beside --max-concurrent, but over that of a file. Default:"
                  + " false.",
              Optional.of("true"),
              false),
          option(
              "schedule",
              "NAME",
              "How evaluations share the calls: shared, which leaves none unused; documented, as"
                  + " AgentOpt splits them. Default: shared."),
          new Option(
              "speculate",
              Group.SELECTION,
              "BOOL",
              "Use calls that would wait for a decision for evaluations that are likely to come"
                  + " next: sooner done, for more money. Default: false.",
              Optional.of("true"),
              false),
          option(
              "failures",
              "POLICY",
              "What an evaluation that fails means: zero, a score of 0; retry, tried again, then 0;"
                  + " exclude, the datapoint is left out on both sides of comparisons. Default:"
                  + " zero."),
          option(
              "attempts",
              "N",
              "How often a datapoint is tried that fails, with --failures retry or exclude."
                  + " Default: 3 with retry, else 1."));

  private static final double MOST = 1e6;
  private static final String ZERO = "zero";
  private static final String RETRY = "retry";
  private static final String DELTA = "delta";

  /**
   * What a selection may use.
   *
   * @param share of the evaluations of brute force
   * @param evaluations further attempts included
   */
  public record Budget(
      Optional<Double> share,
      Optional<Long> evaluations,
      Optional<BigDecimal> dollars,
      Optional<Duration> time) {

    private static final String RULE =
        "25%, a number of evaluations, dollars such as $2.50, or a time such as 30m; several with"
            + " commas between";

    static final Budget NONE =
        new Budget(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    /** Evaluations at most, of so many that brute force needs. */
    public long evaluations(long all) {
      long byShare = share.map(part -> (long) Math.floor(part * all + 1e-9)).orElse(Long.MAX_VALUE);
      return Math.min(byShare, evaluations.orElse(Long.MAX_VALUE));
    }

    static Optional<Budget> parse(String word) {
      Budget budget = NONE;
      for (String part : word.split(",", -1)) {
        Optional<Budget> more = budget.with(part.strip());
        if (more.isEmpty()) {
          return Optional.empty();
        }
        budget = more.get();
      }
      return Optional.of(budget);
    }

    private Optional<Budget> with(String part) {
      try {
        if (part.endsWith("%")) {
          double percent = Double.parseDouble(part.substring(0, part.length() - 1).strip());
          return Optional.of(new Budget(Optional.of(percent / 100), evaluations, dollars, time))
              .filter(_ -> percent > 0 && percent <= 100 && share.isEmpty());
        }
        if (part.startsWith("$")) {
          var amount = new BigDecimal(part.substring(1).strip());
          return Optional.of(new Budget(share, evaluations, Optional.of(amount), time))
              .filter(_ -> amount.signum() > 0 && dollars.isEmpty());
        }
        if (part.chars().allMatch(Character::isDigit)) {
          long count = Long.parseLong(part);
          return Optional.of(new Budget(share, Optional.of(count), dollars, time))
              .filter(_ -> count > 0 && evaluations.isEmpty());
        }
      } catch (NumberFormatException notANumber) {
        return Optional.empty();
      }
      return DurationText.parse(part, "s")
          .filter(duration -> duration.isPositive() && time.isEmpty())
          .map(duration -> new Budget(share, evaluations, dollars, Optional.of(duration)));
    }
  }

  /**
   * Of two words that do not go together, the one that is given closer to the command wins.
   *
   * @throws ConfigurationException if a word cannot be used or does not go with another of the same
   *     place, with where it stands
   */
  public static SelectionOptions parse(Settings given) {
    Settings words = OptionPrecedence.settled(given);
    SelectionOptions options = requireFitting(words);
    if (options.objective instanceof Objective.Weighted(double cost, _, double latency, _)
        && cost == 0
        && latency == 0) {
      throw words.wrong("objective", "weighted needs --cost-weight or --latency-weight");
    }
    return options;
  }

  static SelectionOptions requireFitting(OptionWords words) {
    SelectionOptions options = read(words);
    options.requireSpeculationAllowed(words);
    requireOneConcurrency(words);
    options.requireAttempts(words);
    options.requireOneDelta(words);
    return options;
  }

  /**
   * Looks at each word by itself, since what it is to go with may stand elsewhere.
   *
   * @throws ConfigurationException if one cannot be used, with where it stands
   */
  public static void requireReadable(OptionWords words) {
    var _ = read(words);
  }

  private static SelectionOptions read(OptionWords words) {
    var reader = new OptionReader(words);
    int maxConcurrent = reader.whole("max-concurrent", 1).orElse(20);
    return new SelectionOptions(
        selector(words, reader),
        objective(words, reader),
        failures(reader),
        reader
            .choice("schedule", List.of(Schedule.values()), SelectionOptions::word)
            .orElse(Schedule.SHARED),
        reader.flag("sequential").orElse(false) ? 1 : maxConcurrent,
        reader.flag("speculate").orElse(false),
        reader.read("budget", Budget::parse, Budget.RULE).orElse(Budget.NONE),
        delta(reader).orElse(0.05));
  }

  private static Optional<Double> delta(OptionReader reader) {
    return reader.number(DELTA, 1e-9, 0.999, "between 0 and 1");
  }

  private static void requireOneConcurrency(OptionWords words) {
    var reader = new OptionReader(words);
    int most = reader.whole("max-concurrent", 1).orElse(1);
    if (reader.flag("sequential").orElse(false) && most > 1) {
      throw words.wrong(
          "sequential",
          "is one call at a time, but `max_concurrent` is %d; leave out one of the two, or give"
                  .formatted(most)
              + " --sequential false or --max-concurrent 1");
    }
  }

  private void requireAttempts(OptionWords words) {
    String policy = words.word("failures").orElse(ZERO);
    if (policy.equals(ZERO) && failures.attempts() > 1) {
      throw words.wrong(
          "attempts",
          "is %d, but with `failures` zero a failure counts at once; choose --failures retry or"
                  .formatted(failures.attempts())
              + " exclude, or leave it out");
    }
    if (policy.equals(RETRY) && failures.attempts() == 1) {
      throw words.wrong("attempts", "must be at least 2 with `failures` retry, was 1");
    }
  }

  /** A guarantee has one chance of error. */
  private void requireOneDelta(OptionWords words) {
    double own =
        switch (selector) {
          case Selector.PairedElimination paired -> paired.delta();
          case Selector.EpsilonLucb lucb -> lucb.delta();
          case Selector.ThresholdElimination threshold -> threshold.delta();
          default -> delta;
        };
    if (words.word(DELTA).isPresent() && own != delta) {
      throw words.wrong(
          DELTA,
          "is %s, but `selector_args` has delta=%s; leave out one of the two"
              .formatted(delta, own));
    }
  }

  /** What is evaluated in vain must not be missing in the end. */
  private void requireSpeculationAllowed(OptionWords words) {
    boolean isBounded =
        budget.share().isPresent()
            || budget.evaluations().isPresent()
            || budget.dollars().isPresent();
    if (speculate && isBounded) {
      throw words.wrong(
          "speculate",
          "cannot go with a budget of evaluations or money: what is evaluated in vain would be"
              + " missing in the end; leave out one of the two");
    }
    if (speculate && schedule == Schedule.DOCUMENTED) {
      throw words.wrong("speculate", "needs --schedule shared");
    }
  }

  private static String word(Schedule schedule) {
    return schedule.name().toLowerCase(Locale.ROOT);
  }

  private static Selector selector(OptionWords words, OptionReader reader) {
    String name = words.word("selector").orElse("auto").replace('-', '_');
    if (!Selectors.names().contains(name)) {
      throw words.wrong(
          "selector", "is unknown: '%s'%s".formatted(name, Spelling.hint(name, Selectors.names())));
    }
    Map<String, Double> parameters = new LinkedHashMap<>();
    reader
        .pairs("selector-args")
        .forEach(
            (key, value) -> {
              try {
                parameters.put(key.replace('-', '_'), Double.parseDouble(value));
              } catch (NumberFormatException notANumber) {
                throw words.wrong(
                    "selector-args", "`%s` must be a number, was '%s'".formatted(key, value));
              }
            });
    if (Selectors.parameters(name).containsKey(DELTA)) {
      delta(reader).ifPresent(given -> parameters.putIfAbsent(DELTA, given));
    }
    return checked(words, "selector-args", () -> Selectors.named(name, parameters));
  }

  private static Objective objective(OptionWords words, OptionReader reader) {
    String name =
        reader
            .choice(
                "objective",
                List.of("score", "cheapest", "fastest", "weighted", "pareto"),
                word -> word)
            .orElse("score");
    double within = reader.number("within", 0, 0.999, "from 0 to 1").orElse(0.02);
    double cost = amount(reader, "cost-weight", 0);
    double costScale = amount(reader, "cost-scale", 0.01);
    double latency = amount(reader, "latency-weight", 0);
    double latencyScale =
        reader
                .duration("latency-scale", "s", Duration.ofMillis(1))
                .orElse(Duration.ofSeconds(10))
                .toNanos()
            / 1e9;
    return checked(
        words,
        "objective",
        () ->
            switch (name) {
              case "cheapest" -> new Objective.Within(within, Objective.Measure.COST);
              case "fastest" -> new Objective.Within(within, Objective.Measure.LATENCY);
              case "weighted" -> new Objective.Weighted(cost, costScale, latency, latencyScale);
              case "pareto" -> new Objective.Pareto();
              default -> new Objective.Score();
            });
  }

  private static double amount(OptionReader reader, String option, double otherwise) {
    return reader.number(option, 0, MOST, "a number from 0").orElse(otherwise);
  }

  private static Failures failures(OptionReader reader) {
    String policy =
        reader.choice("failures", List.of(ZERO, RETRY, "exclude"), word -> word).orElse(ZERO);
    int attempts = reader.whole("attempts", 1).orElse(policy.equals(RETRY) ? 3 : 1);
    return new Failures(
        policy.equals("exclude") ? Failures.Meaning.EXCLUDED : Failures.Meaning.ZERO,
        attempts,
        Failures.DEFAULT.hopeless());
  }

  private static <T> T checked(OptionWords words, String option, Supplier<T> made) {
    try {
      return made.get();
    } catch (IllegalArgumentException wrong) {
      throw words.wrong(option, "cannot be used: " + wrong.getMessage());
    }
  }

  private static Option option(String name, String label, String description) {
    return new Option(name, Group.SELECTION, label, description, Optional.empty(), false);
  }
}
