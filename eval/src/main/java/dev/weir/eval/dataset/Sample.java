package dev.weir.eval.dataset;

import dev.weir.model.Message;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One question.
 *
 * @param id unique in its dataset
 * @param input what the model is asked, in words
 * @param messages the conversation it begins with; empty if that is the input alone
 * @param targets what a right answer is measured by: any of them; empty if nothing is known
 * @param choices the answers to choose from; empty if the question is open
 * @param metadata what else is known of it: text, numbers, booleans, lists and maps of them
 * @param files for its sandbox, by their path in it: text, or {@code file:} and the absolute path
 *     of a file to copy
 * @param setup a script that prepares its sandbox
 * @param numbered whether its id is a number, which logs tell from its digits as a text; either
 *     way, its text is what it is known by
 */
public record Sample(
    String id,
    String input,
    List<Message> messages,
    List<String> targets,
    List<String> choices,
    Map<String, @Nullable Object> metadata,
    Map<String, String> files,
    Optional<String> setup,
    boolean numbered) {

  /** What stands before the path of a file to copy into a sandbox. */
  public static final String FILE = "file:";

  /** It becomes part of a name in the log. */
  static final int LONGEST_ID = 1_000;

  public Sample {
    if (id.length() > LONGEST_ID) {
      throw new IllegalArgumentException(
          "`id` must have at most %d characters, had %d".formatted(LONGEST_ID, id.length()));
    }
    messages = List.copyOf(messages);
    targets = List.copyOf(targets);
    choices = List.copyOf(choices);
    metadata =
        metadata.isEmpty() ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(metadata));
    files = files.isEmpty() ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(files));
  }

  /** One whose id is a text. */
  public Sample(
      String id,
      String input,
      List<Message> messages,
      List<String> targets,
      List<String> choices,
      Map<String, @Nullable Object> metadata,
      Map<String, String> files,
      Optional<String> setup) {
    this(id, input, messages, targets, choices, metadata, files, setup, false);
  }

  /** A question with one right answer. */
  public Sample(String id, String input, String target) {
    this(id, input, List.of(), List.of(target), List.of(), Map.of(), Map.of(), Optional.empty());
  }

  /** What a right answer is measured by, if there is but one; empty if there is none. */
  public String target() {
    return targets.isEmpty() ? "" : String.join("\n", targets);
  }

  /** A short text for what it asks, the same in each process; its id is no part of that. */
  public String contentHash() {
    return ContentHash.of(this);
  }

  /** What the model is asked first. */
  public List<Message> conversation() {
    return messages.isEmpty() ? List.of(Message.user(input)) : messages;
  }
}
