package dev.weir.providers.mock;

import dev.weir.model.Message;
import dev.weir.model.Request;

/** Says what is replied to a request. Thread-safe. */
@FunctionalInterface
interface Replies {

  ScriptedReply next(Request request);

  /** What the user said last; the last message if there is none of a user. */
  static String lastUserText(Request request) {
    return request.messages().reversed().stream()
        .filter(Message.User.class::isInstance)
        .findFirst()
        .orElse(request.messages().getLast())
        .text();
  }
}
