package dev.weir.simulator.provider;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * What a response tells about the quotas: as they were when the request was admitted.
 *
 * @param takenAt when, in nanoseconds since the start of the provider
 * @param quotas in the order of their kinds
 */
public record QuotaHeaders(long takenAt, Map<RefusalKind, QuotaHeader> quotas) {

  public static final QuotaHeaders NONE = new QuotaHeaders(0, Map.of());

  public QuotaHeaders {
    Map<RefusalKind, QuotaHeader> ordered = new EnumMap<>(RefusalKind.class);
    ordered.putAll(quotas);
    quotas = Collections.unmodifiableMap(ordered);
  }

  public Optional<QuotaHeader> of(RefusalKind kind) {
    return Optional.ofNullable(quotas.get(kind));
  }
}
