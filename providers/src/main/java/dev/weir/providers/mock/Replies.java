package dev.weir.providers.mock;

import dev.weir.model.Message;
import dev.weir.model.Request;

/** Says what is replied to a request. Thread-safe. */
@FunctionalInterface
interface Replies {

  ScriptedReply next(Request request);

  /** Whether it stands for a provider, one that refuses and fails at times. */
  default boolean hasErrors() {
    return false;
  }

  /** What the model was told last, by the user or by a tool. */
  static String lastText(Request request) {
    for (Message message : request.messages().reversed()) {
      if (message instanceof Message.User || message instanceof Message.ToolResult) {
        return message.text();
      }
    }
    return request.messages().getLast().text();
  }
}
