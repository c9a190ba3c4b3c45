package dev.weir.simulator.provider;

import java.util.Optional;

/** What a response tells about the quotas: as they were when the request was admitted. */
public record QuotaHeaders(Optional<QuotaHeader> requests, Optional<QuotaHeader> tokens) {

  public static final QuotaHeaders NONE = new QuotaHeaders(Optional.empty(), Optional.empty());
}
