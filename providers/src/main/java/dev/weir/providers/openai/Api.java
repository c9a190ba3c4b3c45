package dev.weir.providers.openai;

import dev.weir.providers.http.Arguments;
import dev.weir.providers.http.Wire;
import java.util.List;
import java.util.Optional;

/** Which of OpenAI's APIs is asked: {@code -M api=chat|responses}. */
enum Api {
  CHAT,
  RESPONSES;

  static Optional<Api> of(Arguments arguments) {
    return arguments
        .choice("api", List.of("chat", "responses"))
        .map(word -> word.equals("chat") ? CHAT : RESPONSES);
  }

  Wire wire(WireSetup setup) {
    return switch (this) {
      case CHAT -> new ChatCompletionsWire(setup);
      case RESPONSES -> new ResponsesWire(setup);
    };
  }

  /** How a batch names it. */
  String path() {
    return switch (this) {
      case CHAT -> "/v1/chat/completions";
      case RESPONSES -> "/v1/responses";
    };
  }
}
