package dev.weir.simulator.provider;

import java.util.Optional;

/** Why a provider refused a request, whether or not it tells. */
public enum RefusalCause {
  /** A request quota, advertised or hidden. */
  REQUESTS,
  TOKENS,
  INPUT_TOKENS,
  OUTPUT_TOKENS,
  /** The cap on requests that are served at once. */
  CONCURRENCY,
  /** The limit on growth. */
  GROWTH,
  /** None: it was refused at random. */
  STRAY;

  static RefusalCause of(RefusalKind kind) {
    return switch (kind) {
      case REQUESTS -> REQUESTS;
      case TOKENS -> TOKENS;
      case INPUT_TOKENS -> INPUT_TOKENS;
      case OUTPUT_TOKENS -> OUTPUT_TOKENS;
    };
  }

  /** The quota that was exceeded, if it was one. */
  Optional<RefusalKind> kind() {
    return switch (this) {
      case REQUESTS -> Optional.of(RefusalKind.REQUESTS);
      case TOKENS -> Optional.of(RefusalKind.TOKENS);
      case INPUT_TOKENS -> Optional.of(RefusalKind.INPUT_TOKENS);
      case OUTPUT_TOKENS -> Optional.of(RefusalKind.OUTPUT_TOKENS);
      case CONCURRENCY, GROWTH, STRAY -> Optional.empty();
    };
  }
}
