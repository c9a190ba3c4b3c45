package dev.weir.otel;

import dev.weir.otel.OtelVariables.Signal;
import io.opentelemetry.exporter.internal.FailedExportException.HttpExportException;
import io.opentelemetry.sdk.common.CompletableResultCode;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Reports the first thing that could not be sent, in one line, and nothing after it: a receiver
 * that is down would fill the terminal otherwise. Neither what was sent nor what came back is
 * quoted, since either may hold a credential. Thread-safe.
 */
final class ExportProblems {

  private final OtelVariables variables;
  private final Consumer<String> warnings;
  private final AtomicBoolean isReported = new AtomicBoolean();
  private volatile boolean isFailing;

  ExportProblems(OtelVariables variables, Consumer<String> warnings) {
    this.variables = variables;
    this.warnings = warnings;
  }

  /** Watches one export; the result is the same. */
  CompletableResultCode watched(Signal signal, CompletableResultCode result) {
    return result.whenComplete(
        () -> {
          isFailing = !result.isSuccess();
          if (isFailing) {
            report(
                "could not send %s to %s: %s"
                    .formatted(
                        signal.word(),
                        variables.receiver(signal),
                        reason(result.getFailureThrowable())));
          }
        });
  }

  /** Whether the last export that has ended has failed. */
  boolean isFailing() {
    return isFailing;
  }

  void report(String what) {
    if (isReported.compareAndSet(false, true)) {
      warnings.accept("OpenTelemetry: %s; the run is not affected".formatted(what));
    }
  }

  private static String reason(@Nullable Throwable failure) {
    if (failure instanceof HttpExportException http && http.getResponse() != null) {
      int status = http.getResponse().getStatusCode();
      return "HTTP status %d%s".formatted(status, hint(status));
    }
    // The last of a chain of causes says most.
    String reason = "unknown failure";
    boolean isKnown = false;
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      Optional<String> word = word(cause);
      if (word.isPresent() || !isKnown) {
        reason = word.orElse(cause.getClass().getSimpleName());
        isKnown = word.isPresent();
      }
    }
    return reason;
  }

  private static Optional<String> word(Throwable cause) {
    return switch (cause) {
      case UnknownHostException _, UnresolvedAddressException _ -> Optional.of("unknown host");
      case ConnectException _ -> Optional.of("cannot connect");
      case HttpTimeoutException _ -> Optional.of("timeout");
      case SSLException _ -> Optional.of("TLS failed");
      default -> Optional.empty();
    };
  }

  private static String hint(int status) {
    return switch (status) {
      case 401, 403 -> " (check OTEL_EXPORTER_OTLP_HEADERS)";
      case 404, 405 -> " (check OTEL_EXPORTER_OTLP_ENDPOINT)";
      default -> "";
    };
  }
}
