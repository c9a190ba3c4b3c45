package dev.weir.cli;

import dev.weir.eval.Evaluation;
import dev.weir.log.RunResult;
import dev.weir.model.Printable;
import dev.weir.model.Response;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The end of a report: what is kept of runs that are not finished, and the command that resumes
 * them; nothing for runs that are.
 */
final class LastLines {

  private LastLines() {}

  /** Whether a run has ended, as its options allow, with nothing but failures. */
  static boolean allFailed(RunResult result) {
    RunResult.Counts counts = result.samples();
    return counts.total() > 0 && counts.failed() == counts.total();
  }

  /**
   * @param resumption how the command that ran them is resumed
   * @param environment variables; one of them may hold a rejected credential
   */
  static List<String> of(
      Evaluation.Finished finished, Resumption resumption, Map<String, String> environment) {
    List<String> lines = new ArrayList<>();
    List<Path> unfinished = new ArrayList<>();
    List<Path> failing = new ArrayList<>();
    boolean endedByFailure = false;
    boolean isToBeCorrected = false;
    boolean isNamed = finished.runs().size() > 1;
    for (Evaluation.FinishedRun run : finished.runs()) {
      RunResult result = run.result();
      boolean isFinished = result.status() == RunResult.Status.SUCCESS;
      if (!isFinished) {
        lines.add("Not finished: " + name(result, isNamed) + counts(result.samples()));
        run.file().ifPresent(unfinished::add);
        isToBeCorrected |=
            run.refusal().filter(it -> !(it instanceof Response.QuotaExhausted)).isPresent();
      } else if (allFailed(result)) {
        lines.add(
            "Failed: %sall %s"
                .formatted(
                    name(result, isNamed), Numbers.count(result.samples().total(), "sample")));
      }
      if (result.samples().failed() > 0) {
        run.file().ifPresent(failing::add);
        endedByFailure |= result.status() == RunResult.Status.ERROR && run.refusal().isEmpty();
      }
    }
    if (!failing.isEmpty()) {
      failing.forEach(log -> lines.add("Errors by kind: weir log failures " + ShellWord.of(log)));
    }
    finished.runs().stream()
        .flatMap(run -> run.refusal().stream())
        .filter(Response.Authentication.class::isInstance)
        .flatMap(it -> RejectedCredential.variable(it.origin().model(), environment).stream())
        .distinct()
        .forEach(name -> lines.add("Rejected credential: " + name));
    if (endedByFailure) {
      lines.add(
          "To allow failed samples: --fail-on-error=false, or a share such as 0.1; to run them"
              + " again, up to N times: --retry-on-error=N");
    }
    failing.removeAll(unfinished);
    if (!failing.isEmpty()) {
      lines.add("Retry failed samples: " + retry(failing));
    }
    if (!unfinished.isEmpty()) {
      lines.add(
          (isToBeCorrected ? "Fix the problem, then resume: " : "Resume: ")
              + switch (resumption) {
                case Resumption.WithTheSameCommand(String command) -> command;
                case Resumption.WithRetry() -> retry(unfinished);
              });
    }
    return lines;
  }

  private static String retry(List<Path> logs) {
    return "weir eval-retry " + logs.stream().map(ShellWord::of).collect(Collectors.joining(" "));
  }

  private static String name(RunResult result, boolean isNamed) {
    return isNamed
        ? Printable.line("%s on %s, ".formatted(result.start().task(), result.start().model()))
        : "";
  }

  /** What is in the log, and what is not. */
  private static String counts(RunResult.Counts counts) {
    String failed = counts.failed() == 0 ? "" : " (%s failed)".formatted(counts.failed());
    return "%s of %s%s; %s kept"
        .formatted(
            counts.total() - counts.scored(),
            Numbers.count(counts.total(), "sample"),
            failed,
            counts.scored() == 1 ? "1 is" : counts.scored() + " are");
  }
}
