package dev.weir.benchmarks.limits;

import dev.weir.limits.header.BodyHints;
import dev.weir.limits.header.Dimension;
import dev.weir.limits.header.QuotaSnapshot;
import dev.weir.limits.header.Reset;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.header.ResponseFactsParser;
import dev.weir.simulator.provider.QuotaHeader;
import dev.weir.simulator.provider.QuotaHeaders;
import dev.weir.simulator.provider.RefusalKind;
import dev.weir.simulator.provider.Response;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/** What a simulated response says, in the words of the limiter. */
final class Facts {

  private Facts() {}

  static ResponseFacts of(Response response) {
    return switch (response) {
      case Response.Answer(QuotaHeaders quota, _) ->
          new ResponseFacts(quotas(quota), Optional.empty(), Optional.empty());
      case Response.Refusal(var kind, var retryAfter, QuotaHeaders quota) ->
          new ResponseFacts(quotas(quota), retryAfter, kind.map(known -> dimension(known).word()));
      case Response.Failure _ -> ResponseFacts.NONE;
    };
  }

  /** The same, as the limiter reads it in headers. */
  static ResponseFacts read(Response response, Map<String, String> headers, Instant now) {
    Map<String, List<String>> lines = new HashMap<>();
    headers.forEach((name, value) -> lines.put(name, List.of(value)));
    BodyHints hints =
        response instanceof Response.Refusal refusal && refusal.kind().isPresent()
            ? BodyHints.NONE.withErrorType(refusal.kind().get().word())
            : BodyHints.NONE;
    return ResponseFactsParser.parse(lines, hints, now);
  }

  static Dimension dimension(RefusalKind kind) {
    return switch (kind) {
      case REQUESTS -> Dimension.REQUESTS;
      case TOKENS -> Dimension.TOKENS;
      case INPUT_TOKENS -> Dimension.INPUT_TOKENS;
      case OUTPUT_TOKENS -> Dimension.OUTPUT_TOKENS;
    };
  }

  private static List<QuotaSnapshot> quotas(QuotaHeaders headers) {
    List<QuotaSnapshot> quotas = new ArrayList<>();
    headers.quotas().forEach((kind, header) -> quotas.add(quota(dimension(kind), header)));
    return quotas;
  }

  private static QuotaSnapshot quota(Dimension dimension, QuotaHeader header) {
    return new QuotaSnapshot(
        dimension,
        dimension.word(),
        OptionalDouble.of((double) header.limit()),
        OptionalDouble.of((double) header.remaining()),
        Optional.of(Reset.in(header.reset())),
        Optional.empty(),
        1,
        "simulated");
  }
}
