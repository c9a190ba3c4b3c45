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
        && refusal.kind().get() == RefusalKind.TOKENS
        && refusal.quota().tokens().isPresent()) {
      return tooLarge(call, refusal.quota().tokens().get());
    }
    String limit =
        switch (refusal.kind().get()) {
          case REQUESTS -> "requests per min (RPM)";
          case TOKENS -> "tokens per min (TPM)";
        };
    return "Rate limit reached for %s on %s.%s"
        .formatted(call.model(), limit, refusal.retryAfter().map(RefusalText::again).orElse(""));
  }

  private static String tooLarge(Call call, QuotaHeader quota) {
    return "Request too large for %s on tokens per min (TPM): Limit %d, Requested %d."
        .formatted(
            call.model(), quota.limit(), (long) call.promptTokens() + call.maxTokens().orElse(0));
  }

  private static String again(Duration wait) {
    long millis = Math.ceilDiv(wait.toNanos(), 1_000_000L);
    return millis < 1_000
        ? " Please try again in %dms.".formatted(millis)
        : " Please try again in %ss."
            .formatted(BigDecimal.valueOf(millis, 3).stripTrailingZeros().toPlainString());
  }
}
