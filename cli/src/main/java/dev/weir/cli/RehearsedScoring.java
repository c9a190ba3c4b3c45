package dev.weir.cli;

import dev.weir.eval.Host;
import dev.weir.eval.Rescoring;
import dev.weir.eval.option.RunOptions;
import dev.weir.eval.option.Settings;
import dev.weir.log.Cost;
import dev.weir.log.RunResult.ModelUse;
import dev.weir.model.Printable;
import dev.weir.simulator.server.Rehearsal;
import dev.weir.time.virtual.VirtualTime;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What is to be expected of a scoring: it is done on virtual time with simulated graders, and
 * nothing is written.
 *
 * @param seconds on the virtual clock
 */
record RehearsedScoring(Rescoring.Finished finished, double seconds) {

  /**
   * @param environment variables; none of the credentials among them is used
   */
  static RehearsedScoring of(
      Rescoring.Request request, Settings settings, Map<String, String> environment)
      throws Exception {
    long seed = RunOptions.parse(settings).seed().orElse(RehearsedRun.SEED);
    var time = VirtualTime.seeded(seed);
    return time.run(
        () -> {
          var rehearsal =
              new Rehearsal(
                  Rehearsal.unlimited(RehearsedRun.LATENCY, seed),
                  time,
                  RehearsedRun.OUTPUT_TOKENS,
                  RehearsedRun.TOOL_TURNS);
          var host =
              new Host(
                  environment,
                  Optional.empty(),
                  (_, _) -> {},
                  Optional.of(name -> RehearsedRun.open(rehearsal, name, true)));
          var rescoring = Rescoring.prepare(time, request, settings, host);
          long begun = time.nanos();
          Rescoring.Finished finished = rescoring.run();
          return new RehearsedScoring(finished, (time.nanos() - begun) / 1e9);
        });
  }

  private int scored() {
    return finished.scored() + finished.failed() - finished.takenOver();
  }

  void print(PrintWriter out) {
    out.println("Dry run. Nothing was sent.");
    out.println();
    out.println(
        Printable.line(
            "%s on %s"
                .formatted(finished.result().start().task(), finished.result().start().model())));
    RehearsalReport.line(out, "samples", samples());
    RehearsalReport.line(out, "calls", calls());
    RehearsalReport.line(
        out,
        "tokens",
        "%s in, %s out; answers are assumed to have %d"
            .formatted(
                RehearsalReport.number(finished.tokens().input()),
                RehearsalReport.number(finished.tokens().output()),
                RehearsedRun.OUTPUT_TOKENS));
    RehearsalReport.line(out, "price", RehearsalReport.price(finished.cost()));
    RehearsalReport.line(out, "time", Numbers.span(seconds) + ", without limits");
    finished.stopped().ifPresent(why -> RehearsalReport.line(out, "stopped", why));
    out.println();
    out.println(
        "Replaced: graders: simulated; answers of %d tokens, after about %d s. The log is not written."
            .formatted(RehearsedRun.OUTPUT_TOKENS, RehearsedRun.LATENCY.toSeconds()));
  }

  private String samples() {
    List<String> parts = new ArrayList<>();
    parts.add("%s to score".formatted(RehearsalReport.number(scored())));
    if (finished.takenOver() > 0) {
      parts.add(
          "%s taken over from a scoring that was cut off"
              .formatted(RehearsalReport.number(finished.takenOver())));
    }
    if (finished.leftOut() > 0) {
      parts.add(
          "%s left out, which failed or were cancelled in their run"
              .formatted(RehearsalReport.number(finished.leftOut())));
    }
    return String.join(", ", parts);
  }

  private String calls() {
    return finished.graders().isEmpty()
        ? "0"
        : finished.graders().stream()
            .map(
                use ->
                    "%s to %s (%s)"
                        .formatted(
                            RehearsalReport.number(use.calls()),
                            Printable.line(use.model()),
                            Printable.line(use.role())))
            .collect(Collectors.joining(", "));
  }

  String json() {
    Cost cost = finished.cost();
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("task", finished.result().start().task());
    document.put("model", finished.result().start().model());
    document.put("samples", scored());
    document.put("taken_over", finished.takenOver());
    document.put("left_out", finished.leftOut());
    document.put("calls", finished.graders().stream().mapToLong(ModelUse::calls).sum());
    document.put("input_tokens", finished.tokens().input());
    document.put("output_tokens", finished.tokens().output());
    document.put("usd", cost.usd());
    document.put("known_usd", cost.knownUsd());
    document.put("seconds", seconds);
    document.put("stopped", finished.stopped());
    List<Map<String, Object>> roles = new ArrayList<>();
    for (ModelUse use : finished.graders()) {
      Map<String, Object> role = new LinkedHashMap<>();
      role.put("role", use.role());
      role.put("model", use.model());
      role.put("calls", use.calls());
      role.put("usd", use.cost().usd());
      roles.add(role);
    }
    document.put("roles", roles);
    return RehearsalReport.JSON.writeValueAsString(document);
  }
}
