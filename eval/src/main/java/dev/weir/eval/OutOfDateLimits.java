package dev.weir.eval;

import dev.weir.telemetry.OutOfDate;
import dev.weir.telemetry.Telemetry;
import dev.weir.time.Task;
import dev.weir.time.Time;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Warns of configured limits that are not what an engine allows, each once in a run. */
final class OutOfDateLimits implements AutoCloseable {

  private static final Duration INTERVAL = Duration.ofMinutes(1);

  private final Time time;
  private final Telemetry telemetry;
  private final Consumer<String> warnings;
  // Guarded by this.
  private final Set<String> said = new HashSet<>();
  private @Nullable Task<?> looking;

  /**
   * @param warnings is given sentences that repeat no limit
   */
  OutOfDateLimits(Time time, Telemetry telemetry, Consumer<String> warnings) {
    this.time = time;
    this.telemetry = telemetry;
    this.warnings = warnings;
  }

  /** Looks now and then from now on. */
  synchronized void begin() {
    looking =
        time.start(
            "limits out of date",
            () -> {
              while (true) {
                time.sleep(INTERVAL);
                look();
              }
            });
  }

  private synchronized void look() {
    telemetry
        .outOfDate()
        .forEach(
            (model, reasons) ->
                reasons.forEach(
                    reason -> {
                      String warning = "limit of %s out of date: %s".formatted(model, why(reason));
                      if (said.add(warning)) {
                        warnings.accept(warning);
                      }
                    }));
  }

  private static String why(OutOfDate.Reason reason) {
    return switch (reason) {
      case REFUSED_BELOW_LIMIT ->
          "the engine refuses calls well below what is configured; check the limit, and whether"
              + " other programs use the account";
      case MORE_ADVERTISED -> "the engine advertises more than is configured; raise the limit";
      case NO_LIMIT -> "none is configured for this model; add one";
    };
  }

  /** Looks for the last time. */
  @Override
  public void close() {
    Task<?> begun;
    synchronized (this) {
      begun = looking;
    }
    if (begun != null) {
      begun.cancel();
      look();
    }
  }
}
