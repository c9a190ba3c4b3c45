package dev.weir.cli;

import dev.weir.eval.compare.LogComparison;
import dev.weir.eval.compare.LogComparison.Difference;
import dev.weir.eval.compare.LogComparison.Failures;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Spelling;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;
import tools.jackson.databind.json.JsonMapper;

/** {@code weir compare}: runs of the same samples beside each other. */
@Command(
    name = "compare",
    description = {
      "Compare runs of the same samples: difference with interval and exact test, samples that"
          + " changed, settings that differ.",
      "",
      "Every log is compared with the first. Samples are paired by id; epochs of a sample count by"
          + " their mean. Logs are journals, .eval files, or logs of Inspect. See docs/logs.md.",
      "",
      "Exit code: 0; 1 with --fail-on-regression if a run is worse; 2 if the logs have no samples"
          + " in common."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  weir compare logs/BEFORE.eval logs/AFTER.eval",
      "  weir compare main.eval branch.eval --fail-on-regression=0.02",
      "  weir compare a.eval b.eval c.eval --scorer f1 --markdown >> $GITHUB_STEP_SUMMARY",
      "  weir compare a.eval b.eval --json | jq '.comparisons[0].worse[].id'"
    })
final class CompareCommand implements Callable<Integer> {

  private static final String ALONE = "0";

  @Parameters(
      arity = "1..*",
      paramLabel = "LOG",
      description = "Logs to compare; the first is the baseline.")
  private List<Path> logs = List.of();

  @Option(
      names = "--scorer",
      paramLabel = "NAME",
      description = "Compare the scores of this scorer. Default: the first that all logs have.")
  private @Nullable String scorer;

  @Option(
      names = "--failures",
      paramLabel = "exclude|zero",
      description = "Leave out samples that failed, or count them as 0. Default: exclude.")
  private @Nullable String failures;

  @Option(
      names = "--fail-on-regression",
      arity = "0..1",
      fallbackValue = ALONE,
      preprocessor = AttachedOnly.class,
      paramLabel = "D",
      description =
          "Exit with code 1 if a run is worse than the baseline: if the interval of the difference"
              + " lies below -D. Default: off; 0 if no value is given.")
  private @Nullable String failOnRegression;

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "Show at most N changed samples in each direction. Default: 10.")
  private @Nullable Integer limit;

  @Option(names = "--markdown", description = "Print Markdown. Default: false.")
  private boolean markdown;

  @Option(names = "--json", description = "Print one JSON document. Default: false.")
  private @Nullable Boolean json;

  private final Surroundings surroundings;

  CompareCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  @Override
  public Integer call() throws IOException {
    var environment = new Environment(surroundings.environment());
    boolean asJson = environment.flag(json, "WEIR_JSON");
    if (asJson && markdown) {
      throw new ConfigurationException("--json and --markdown exclude each other");
    }
    Optional<Double> tolerance = tolerance(environment);
    requireLogs();
    List<Path> found = logs.stream().map(LogPaths::log).toList();
    LogComparison comparison = LogComparison.of(found, Optional.ofNullable(scorer), failures());
    int most = limit == null ? ComparisonReport.SHOWN_FLIPS : limit;
    var report = new ComparisonReport(comparison, tolerance, most);
    if (asJson) {
      surroundings.out().println(new JsonMapper().writeValueAsString(report.document()));
    } else if (markdown) {
      report.markdown(surroundings.out());
    } else {
      report.print(surroundings.out(), surroundings.columns());
    }
    int damaged = LogDamage.told(comparison.damage(), surroundings);
    return tolerance.isPresent()
            && comparison.differences().stream().anyMatch(it -> isWorse(it, tolerance.get()))
        ? ExitCode.FAILED
        : damaged;
  }

  /** A number that was meant to be the value of the option stands among the logs. */
  private void requireLogs() {
    for (Path log : logs) {
      String word = log.toString();
      if (failOnRegression != null && word.matches("\\d*\\.?\\d+") && !Files.exists(log)) {
        throw new ConfigurationException(
            "%s: there is no such log; the value of the option is attached with =, as in --fail-on-regression=%s"
                .formatted(word, word));
      }
    }
    if (logs.size() < 2) {
      throw new ConfigurationException(
          "at least 2 of LOG are needed: a baseline, and what to compare");
    }
  }

  private static boolean isWorse(Difference difference, double tolerance) {
    return difference.scores().isRegression(tolerance);
  }

  private Failures failures() {
    String word = failures == null ? "exclude" : failures;
    return switch (word) {
      case "exclude" -> Failures.EXCLUDE;
      case "zero" -> Failures.ZERO;
      default ->
          throw new ConfigurationException(
              "--failures must be exclude or zero, was '%s'%s"
                  .formatted(word, Spelling.hint(word, List.of("exclude", "zero"))));
    };
  }

  private Optional<Double> tolerance(Environment environment) {
    if (failOnRegression != null) {
      try {
        return Optional.of(tolerance(failOnRegression));
      } catch (TypeConversionException wrong) {
        throw new ConfigurationException("--fail-on-regression " + wrong.getMessage(), wrong);
      }
    }
    return environment
        .orElse(null, "WEIR_FAIL_ON_REGRESSION", CompareCommand::switched)
        .flatMap(given -> given);
  }

  /** A variable always has a value: the option alone is {@code true}. */
  private static Optional<Double> switched(String word) {
    return switch (word.toLowerCase(Locale.ROOT)) {
      case "true" -> Optional.of(0.0);
      case "false" -> Optional.empty();
      default -> Optional.of(tolerance(word));
    };
  }

  private static double tolerance(String word) {
    try {
      double value = Double.parseDouble(word);
      if (value >= 0 && Double.isFinite(value)) {
        return value;
      }
    } catch (NumberFormatException notANumber) {
      // Reported below, as a number out of range is.
    }
    throw new TypeConversionException(
        "must be a number of 0 or more, such as 0.02; was '%s'".formatted(word));
  }
}
