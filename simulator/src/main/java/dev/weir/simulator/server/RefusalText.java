package dev.weir.simulator.server;

import dev.weir.simulator.provider.QuotaHeader;
import dev.weir.simulator.provider.RefusalKind;
import dev.weir.simulator.provider.Response;
import java.math.BigDecimal;
import java.time.Duration;

/** What a refusal says to people, no more than its headers tell programs. */
final class RefusalText {

  private RefusalText() {}

  static String of(Call call, Response.Refusal refusal) {
    if (refusal.kind().isEmpty()) {
      return "Too many requests. Please slow down.";
    }
    if (refusal.retryAfter().isEmpty()
        && refusal.kind().get() != RefusalKind.REQUESTS
        && refusal.quota().of(refusal.kind().get()).isPresent()) {
      return tooLarge(call, refusal.kind().get(), refusal.quota().of(refusal.kind().get()).get());
    }
    return reached(call, refusal.kind().get())
        + refusal.retryAfter().map(RefusalText::again).orElse("");
  }

  /** The same without how long to wait, where headers alone say that. */
  static String withoutWait(Call call, Response.Refusal refusal) {
    return refusal.kind().map(kind -> reached(call, kind)).orElseGet(() -> of(call, refusal));
  }

  private static String reached(Call call, RefusalKind kind) {
    return "Rate limit reached for %s on %s.".formatted(call.model(), limit(kind));
  }

  private static String limit(RefusalKind kind) {
    return switch (kind) {
      case REQUESTS -> "requests per min (RPM)";
      case TOKENS -> "tokens per min (TPM)";
      case INPUT_TOKENS -> "input tokens per min (ITPM)";
      case OUTPUT_TOKENS -> "output tokens per min (OTPM)";
    };
  }

  private static String tooLarge(Call call, RefusalKind kind, QuotaHeader quota) {
    long requested =
        call.promptTokens() + (kind == RefusalKind.TOKENS ? (long) call.maxTokens().orElse(0) : 0);
    return "Request too large for %s on %s: Limit %d, Requested %d."
        .formatted(call.model(), limit(kind), quota.limit(), requested);
  }

  private static String again(Duration wait) {
    long millis = Math.ceilDiv(wait.toNanos(), 1_000_000L);
    return millis < 1_000
        ? " Please try again in %dms.".formatted(millis)
        : " Please try again in %ss."
            .formatted(BigDecimal.valueOf(millis, 3).stripTrailingZeros().toPlainString());
  }
}
