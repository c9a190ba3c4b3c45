package dev.weir.eval.solver;

import dev.weir.eval.dataset.Sample;
import dev.weir.model.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A sample on its way through the solvers. Immutable. */
public record Conversation(Sample sample, List<Message> messages) {

  public Conversation {
    messages = List.copyOf(messages);
  }

  public static Conversation begin(Sample sample) {
    return new Conversation(sample, List.of(Message.user(sample.input())));
  }

  public Conversation with(Message message) {
    List<Message> more = new ArrayList<>(messages);
    more.add(message);
    return new Conversation(sample, more);
  }

  /** What the model said last, if it has said anything. */
  public Optional<String> output() {
    return messages.reversed().stream()
        .filter(Message.Assistant.class::isInstance)
        .map(Message::text)
        .findFirst();
  }
}
