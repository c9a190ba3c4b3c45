package dev.weir.simulator.server;

/** What goes wrong with a request, whichever API tells it. */
enum Fault {
  BAD_REQUEST,
  UNAUTHORIZED,
  RATE_LIMITED,
  ERROR,
  OUTAGE,
  OVERLOAD;

  /** The fault of a status that the provider model or a script names. */
  static Fault of(int status) {
    return switch (status) {
      case 401, 403 -> UNAUTHORIZED;
      case 429 -> RATE_LIMITED;
      case 503 -> OUTAGE;
      case 529 -> OVERLOAD;
      default -> status < 500 ? BAD_REQUEST : ERROR;
    };
  }
}
