package dev.weir.providers.openai;

import dev.weir.providers.http.Arguments;

/** Whether answers come in pieces: {@code -M stream=true|false}. */
enum Streaming {
  ALWAYS,
  /** Only if somebody reads the pieces. */
  ON_DEMAND,
  NEVER;

  static Streaming of(Arguments arguments) {
    if (arguments.text("stream").isEmpty()) {
      return ON_DEMAND;
    }
    return arguments.flag("stream", false) ? ALWAYS : NEVER;
  }
}
