package dev.weir.cli;

import dev.weir.cli.carriers.Carriers;
import dev.weir.cli.control.ControlServer;
import dev.weir.eval.Evaluation;
import dev.weir.log.RunLog;
import dev.weir.log.RunResult;
import dev.weir.model.Printable;
import dev.weir.time.Task;
import dev.weir.time.Time;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Runs evaluations for people: shows them while they run, ends them cleanly when asked to, and
 * tells what came of them.
 *
 * @param log what is told beside the display
 * @param asJson whether the result is one JSON document
 * @param report the JUnit file to write, if any
 */
record ShownRun(
    Surroundings surroundings,
    LiveLog log,
    DisplayMode mode,
    boolean asJson,
    Optional<JUnitReport> report) {

  /** Runs to the end, and tells the exit code. */
  int run(Evaluation evaluation) throws Exception {
    return run(evaluation, finished -> finished, new Resumption.WithRetry());
  }

  /**
   * Runs to the end, and tells the exit code.
   *
   * @param all what is told of what has ended: with runs of earlier commands, for example
   * @param resumption how it is resumed if it is ended at once
   */
  int run(Evaluation evaluation, UnaryOperator<Evaluation.Finished> all, Resumption resumption)
      throws Exception {
    Time time = surroundings.time();
    report.ifPresent(JUnitReport::prepare);
    log.show(evaluation.logLevel());
    Task<Evaluation.Finished> running = time.start("evaluation", evaluation::run);
    try (var _ = Carriers.fitted();
        var end = CleanEnd.of(time, running, resumption);
        var _ = Hangup.reloads(evaluation::reloadEngineLimits);
        var _ = reachable(evaluation)) {
      try {
        return shown(evaluation, running, all, end, resumption);
      } finally {
        // Before the process may end.
        surroundings.out().flush();
        surroundings.err().flush();
      }
    }
  }

  private int shown(
      Evaluation evaluation,
      Task<Evaluation.Finished> running,
      UnaryOperator<Evaluation.Finished> all,
      CleanEnd end,
      Resumption resumption)
      throws Exception {
    Evaluation.Finished finished;
    int columns;
    var subject = new ShownEvaluation(evaluation, surroundings.colours());
    try (var shown = Display.start(surroundings, subject, mode, asJson)) {
      log.beside(shown);
      finished = all.apply(running.join());
      if (finished.runs().stream()
          .allMatch(run -> run.result().status() == RunResult.Status.SUCCESS)) {
        end.complete();
      }
      columns = shown.columns();
    }
    return tell(finished, columns, resumption);
  }

  /**
   * Tells what came of runs, and the exit code.
   *
   * @param resumption how one resumes what is not finished
   */
  int tell(Evaluation.Finished finished, int columns, Resumption resumption) {
    report(finished, columns);
    boolean isReached = reachesThresholds(finished);
    boolean isReported = report.isEmpty() || isWritten(report.get(), finished);
    // The last lines are what people see of a run that scrolled by.
    surroundings.out().flush();
    var last = asJson ? surroundings.err() : surroundings.out();
    LastLines.of(finished, resumption, surroundings.environment())
        .forEach(line -> last.println(asJson ? "weir: " + line : line));
    int code = exitCode(finished);
    return code == ExitCode.SUCCESS && !(isReached && isReported) ? ExitCode.FAILED : code;
  }

  /** For weir ctl. That it cannot be had is no reason not to run. */
  private AutoCloseable reachable(Evaluation evaluation) {
    AutoCloseable unreachable = () -> {};
    Time time = surroundings.time();
    String wanted = surroundings.environment().getOrDefault(ControlServer.VARIABLE, "");
    // Sockets know nothing of virtual time.
    if (wanted.equals("off") || !time.equals(Time.system())) {
      return unreachable;
    }
    try {
      return ControlServer.open(time, surroundings.environment(), evaluation.control());
    } catch (IOException | RuntimeException unusable) {
      surroundings
          .err()
          .println(
              "weir: weir ctl cannot reach this run: "
                  + Printable.line(String.valueOf(unusable.getMessage())));
      return unreachable;
    }
  }

  private void report(Evaluation.Finished finished, int columns) {
    if (asJson) {
      List<String> results = finished.runs().stream().map(ShownRun::document).toList();
      surroundings
          .out()
          .println(
              results.size() == 1
                  ? results.getFirst()
                  : "[" + String.join("," + System.lineSeparator(), results) + "]");
    } else {
      new ResultTable(surroundings.out(), columns).print(finished);
    }
    for (Evaluation.FinishedRun run : finished.runs()) {
      run.notWritten()
          .ifPresent(
              why ->
                  surroundings
                      .err()
                      .println("weir: the log could not be written: " + Printable.line(why)));
    }
  }

  /** The result, and whether it is good enough, which only who asks knows. */
  private static String document(Evaluation.FinishedRun run) {
    String result = RunLog.summary(run.result(), run.file());
    return "%s,%n  \"thresholds\" : %s%n}"
        .formatted(
            result.substring(0, result.lastIndexOf('}')).stripTrailing(),
            Thresholds.of(run.result()).json(run.result()));
  }

  /** Tells which are missed; on standard error, since the result is for others to read. */
  private boolean reachesThresholds(Evaluation.Finished finished) {
    boolean isReached = true;
    for (Evaluation.FinishedRun run : finished.runs()) {
      for (Thresholds.Verdict verdict : Thresholds.of(run.result()).judge(run.result())) {
        if (!verdict.isReached()) {
          isReached = false;
          surroundings
              .err()
              .println(
                  "weir: threshold missed: %s (%s on %s)"
                      .formatted(
                          verdict.missed(),
                          Printable.line(run.result().start().task()),
                          Printable.line(run.result().start().model())));
        }
      }
    }
    return isReached;
  }

  private boolean isWritten(JUnitReport report, Evaluation.Finished finished) {
    try {
      report.write(finished);
      return true;
    } catch (IOException unwritable) {
      surroundings
          .err()
          .println(
              "weir: the JUnit file could not be written: "
                  + Printable.line(unwritable.toString()));
      return false;
    }
  }

  /** The worst of all runs. */
  private static int exitCode(Evaluation.Finished finished) {
    List<Integer> codes = finished.runs().stream().map(ShownRun::exitCode).toList();
    return List.of(ExitCode.INTERRUPTED, ExitCode.REFUSED, ExitCode.FAILED).stream()
        .filter(codes::contains)
        .findFirst()
        .orElse(ExitCode.SUCCESS);
  }

  private static int exitCode(Evaluation.FinishedRun finished) {
    return switch (finished.result().status()) {
      case RunResult.Status.SUCCESS ->
          finished.notWritten().isPresent() || LastLines.allFailed(finished.result())
              ? ExitCode.FAILED
              : ExitCode.SUCCESS;
      case RunResult.Status.CANCELLED ->
          finished.result().stopped().isPresent() ? ExitCode.FAILED : ExitCode.INTERRUPTED;
      case RunResult.Status.ERROR ->
          finished.refusal().isPresent() ? ExitCode.REFUSED : ExitCode.FAILED;
    };
  }
}
