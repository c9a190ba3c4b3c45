package dev.weir.model;

import java.util.List;
import java.util.Optional;

/**
 * What a model is asked.
 *
 * @param messages the conversation so far, at least one message
 * @param target what a right answer contains, where that is known. Only simulated models look at
 *     it, to be right as often as they were told to; it is never sent anywhere.
 */
public record Request(List<Message> messages, Optional<String> target) {

  public Request {
    messages = List.copyOf(messages);
    if (messages.isEmpty()) {
      throw new IllegalArgumentException("`messages` must not be empty");
    }
  }
}
