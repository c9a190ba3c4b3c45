package dev.weir.simulator.provider;

/** The quota that a refused request would have exceeded. */
public enum RefusalKind {
  REQUESTS,
  TOKENS;

  /** What a request takes from a quota of this kind when it is admitted. */
  double cost(Request request) {
    return this == REQUESTS ? 1 : (double) request.reservedTokens();
  }
}
