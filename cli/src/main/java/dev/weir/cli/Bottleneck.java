package dev.weir.cli;

import dev.weir.eval.run.ModelProgress;
import dev.weir.eval.run.RunProgress;
import dev.weir.limits.Waiting;
import dev.weir.limits.event.Constraint;
import dev.weir.limits.header.Dimension;
import dev.weir.model.Printable;
import java.math.BigDecimal;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** What a run is limited by, in words. */
final class Bottleneck {

  private Bottleneck() {}

  static String sentence(
      List<RunProgress> runs, List<ModelProgress> models, int waitingForSandboxes) {
    Optional<String> paused =
        runs.stream().filter(run -> !run.ended()).flatMap(run -> run.paused().stream()).findFirst();
    int running = runs.stream().mapToInt(RunProgress::running).sum();
    if (!runs.isEmpty() && runs.stream().allMatch(RunProgress::ended)) {
      return runs.stream().anyMatch(RunView::isStopped) ? "stopped" : "done";
    }
    if (running > 0 && runs.stream().allMatch(Bottleneck::isEnding)) {
      return "ending: %s; %s open"
          .formatted(
              runs.stream().flatMap(run -> run.ending().stream()).findFirst().orElseThrow(),
              Numbers.count(running, "sample"));
    }
    Optional<String> samples = fullOfSamples(runs);
    boolean isForSamples =
        paused.isEmpty()
            && waitingForSandboxes == 0
            && models.stream().allMatch(model -> waiting(model) == 0);
    return samples
        .filter(_ -> isForSamples)
        .orElseGet(() -> sentence(paused, running, models, waitingForSandboxes));
  }

  private static boolean isEnding(RunProgress run) {
    return run.ended() || (run.ending().isPresent() && run.paused().isEmpty());
  }

  /**
   * What limits one run, if anything does; shorter, as its line says the rest.
   *
   * @param models those that it may wait for
   */
  static Optional<String> limit(
      RunProgress run, List<ModelProgress> models, int waitingForSandboxes) {
    Optional<ModelProgress> busiest = busiest(models);
    if (busiest.isPresent()) {
      ModelProgress model = busiest.get();
      return switch (model.waitingFor().constraint()) {
        case NOTHING, TURN -> Optional.empty();
        case WINDOW -> Optional.of(waits(model.lane().waiting()) + " for calls to end");
        // The line tells it in place of the ETA.
        case BACKOFF -> Optional.of(held(model)).filter(_ -> !ProgressLine.isBackingOff(run));
        default -> Optional.of(held(model));
      };
    }
    return waitingForSandboxes > 0
        ? Optional.of(sandboxes(waitingForSandboxes))
        : fullOfSamples(List.of(run));
  }

  private static Optional<String> fullOfSamples(List<RunProgress> runs) {
    List<RunProgress> full = runs.stream().filter(run -> run.waitingForOthers() > 0).toList();
    if (full.isEmpty()) {
      return Optional.empty();
    }
    int open = full.stream().mapToInt(RunProgress::running).sum();
    return Optional.of(
        "waiting on max-samples: %s open, and %s"
            .formatted(
                open == 1 ? "1 sample is" : open + " samples are",
                waits(full.stream().mapToInt(RunProgress::waitingForOthers).sum())));
  }

  private static String sandboxes(int waiting) {
    return "waiting for sandboxes: %s".formatted(Numbers.count(waiting, "sample"));
  }

  /**
   * @param paused why, if it is
   * @param running samples that are open
   */
  static String sentence(
      Optional<String> paused, int running, List<ModelProgress> models, int waitingForSandboxes) {
    if (paused.isPresent()) {
      return "paused: %s; %s open".formatted(paused.get(), Numbers.count(running, "sample"));
    }
    Optional<ModelProgress> busiest = busiest(models);
    if (busiest.isPresent()) {
      return held(busiest.get());
    }
    int inFlight = models.stream().mapToInt(model -> model.lane().inFlight()).sum();
    if (waitingForSandboxes > 0) {
      return sandboxes(waitingForSandboxes);
    }
    if (inFlight > 0) {
      return models.stream().anyMatch(model -> model.lane().hasEngineLimit())
          ? "calling: none waiting"
          : "calling: %s in flight, none waiting".formatted(inFlight);
    }
    return running > 0 ? "working: solvers, tools and scorers" : "starting";
  }

  private static Optional<ModelProgress> busiest(List<ModelProgress> models) {
    return models.stream()
        .filter(model -> waiting(model) > 0)
        .max(Comparator.comparingInt(Bottleneck::waiting));
  }

  private static int waiting(ModelProgress model) {
    return model.lane().waiting() + model.lane().backingOff();
  }

  private static String held(ModelProgress model) {
    String name = Frame.shortName(model.model());
    String next = model.waitsFor().map(wait -> ", next in " + Numbers.wait(wait)).orElse("");
    return switch (model.waitingFor().constraint()) {
      case NOTHING, TURN -> "calling " + name;
      case WINDOW ->
          "calling %s: %s, and %s".formatted(name, inFlight(model), waits(model.lane().waiting()));
      case QUOTA, PACE -> "waiting on %s of %s%s".formatted(rate(model), name, next);
      case HOLD -> "waiting as %s asked (retry-after)%s".formatted(name, next);
      case BACKOFF ->
          "backing off after %s of %s, %s to try again%s"
              .formatted(
                  model.lastFailure().orElse("a failure"), name, model.lane().backingOff(), next);
      case CIRCUIT -> "%s is unavailable: probing periodically%s".formatted(name, next);
      case OVERLOAD -> "%s is overloaded: sending fewer calls%s".formatted(name, next);
      case PROBE -> "%s refuses every call: probing with one call%s".formatted(name, next);
      case ENGINE_LIMIT -> "waiting on %s%s".formatted(engineLimit(model.waitingFor()), next);
      case MAX_CONCURRENCY -> "waiting on max-concurrency, calling " + name;
      case PAUSE -> "paused: calls to %s are held".formatted(name);
      case DELAY -> "waiting on delay between calls of %s%s".formatted(name, next);
      case LEASE -> "waiting for a share of the limits of %s%s".formatted(name, next);
    };
  }

  /** Without a number: these limits are confidential. */
  static String engineLimit(Waiting waiting) {
    return "the engine limit of %s (%s)"
        .formatted(
            Printable.line(waiting.scope()),
            waiting
                .dimension()
                .map(dimension -> words(dimension) + " per minute")
                .orElse("calls in flight"));
  }

  private static String inFlight(ModelProgress model) {
    if (model.lane().hasEngineLimit()) {
      return "the window is full";
    }
    return model.lane().inFlight() == 1
        ? "1 is in flight"
        : model.lane().inFlight() + " are in flight";
  }

  private static String waits(int waiting) {
    return waiting == 1 ? "1 waits" : waiting + " wait";
  }

  /** What is due last; a pace that was learned from nothing yet is just that. */
  private static String rate(ModelProgress model) {
    Waiting waiting = model.waitingFor();
    return waiting
        .dimension()
        .filter(
            dimension -> waiting.constraint() == Constraint.QUOTA || isQuotaKnown(model, dimension))
        .map(dimension -> option(model, dimension).orElse(words(dimension) + " per minute"))
        .orElse("the pace");
  }

  /** The option that allows no more, if it is not a quota that the provider advertises. */
  private static Optional<String> option(ModelProgress model, Dimension dimension) {
    return model.rates().stream()
        .filter(_ -> model.waitingFor().constraint() == Constraint.PACE)
        .filter(rate -> rate.dimension() == dimension && rate.isGiven())
        .findFirst()
        .map(
            rate ->
                "%s %s"
                    .formatted(
                        dimension == Dimension.REQUESTS ? "--rpm" : "--tpm",
                        plain(rate.quota().orElse(0))));
  }

  private static String plain(double number) {
    return BigDecimal.valueOf(number).stripTrailingZeros().toPlainString();
  }

  private static boolean isQuotaKnown(ModelProgress model, Dimension dimension) {
    return model.rates().stream()
        .anyMatch(rate -> rate.dimension() == dimension && rate.quota().isPresent());
  }

  private static String words(Dimension dimension) {
    return dimension.word().replace('-', ' ');
  }
}
