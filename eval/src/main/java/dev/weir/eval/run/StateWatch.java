package dev.weir.eval.run;

import dev.weir.eval.sample.EvalTool;
import dev.weir.eval.sample.SampleState;
import dev.weir.log.StateChange;
import dev.weir.log.StateChange.Change;
import dev.weir.log.StateHistory;
import dev.weir.model.Message;
import dev.weir.model.ToolChoice;
import dev.weir.time.Time;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Tells what solvers make of the state of a sample, step by step. A step that only went on with the
 * conversation is told by its calls of models and tools; should a later one do more, its change
 * begins where the last that was told ended. Thread-safe, as long as nobody changes the state.
 */
final class StateWatch {

  /** A record is not a trace: what is longer, all together, is left out and said so. */
  private static final int MOST_CHARACTERS = 100_000;

  private static final int MOST_CHANGES = 1_000;

  /** A message that is put before more than so many is told as a change of all of them. */
  private static final int FARTHEST_LOOK = 100;

  private final Time time;
  private final SampleState state;
  private final KnownTerms terms;
  private final Seen first;
  private Seen last;
  private final List<StateChange> told = new ArrayList<>();
  private int characters;
  private int changes;

  StateWatch(Time time, SampleState state, KnownTerms terms) {
    this.time = time;
    this.state = state;
    this.terms = terms;
    this.first = seen();
    this.last = first;
  }

  /**
   * The state at one time.
   *
   * @param store each value as JSON, since it may be changed where it is
   */
  private record Seen(
      List<Message> messages,
      @Nullable String output,
      List<EvalTool> tools,
      ToolChoice choice,
      Map<String, String> store,
      boolean completed) {}

  private Seen seen() {
    return new Seen(
        List.copyOf(state.messages()),
        state.output().orElse(null),
        state.tools(),
        state.toolChoice(),
        store(),
        state.completed());
  }

  private Map<String, String> store() {
    if (state.store().isEmpty()) {
      return Map.of();
    }
    Map<String, String> json = new LinkedHashMap<>();
    state.store().forEach((key, value) -> json.put(key, StateChange.json(value)));
    return json;
  }

  /** A step has ended. */
  synchronized void stepped(SampleMeter meter) {
    if (changes >= MOST_CHANGES || wentOn()) {
      return;
    }
    Seen now = seen();
    List<Change> found = new ArrayList<>();
    addMessages(now, found);
    addStore(now, found);
    if (!now.tools.equals(last.tools)) {
      found.add(Change.replace("/tools", cut(tools(now)), tools(last)));
    }
    if (!now.choice.equals(last.choice)) {
      found.add(Change.replace("/tool_choice", choice(now), choice(last)));
    }
    if (now.output != null && !now.output.equals(last.output)) {
      found.add(Change.replace("/output/completion", cut(output(now)), cut(output(last))));
    }
    if (now.completed != last.completed) {
      found.add(Change.replace("/completed", "" + now.completed, "" + last.completed));
    }
    if (!found.isEmpty()) {
      int left = Math.min(found.size(), MOST_CHANGES - changes);
      changes += left;
      told.add(new StateChange(time.instant(), meter.working(), found.subList(0, left)));
      last = now;
    }
  }

  /** Whether models and tools have said all there is to tell. */
  private boolean wentOn() {
    List<Message> messages = state.messages();
    int before = last.messages.size();
    if (messages.size() < before
        || !state.tools().equals(last.tools)
        || state.completed() != last.completed
        || !state.toolChoice().equals(last.choice)
        || !store().equals(last.store)) {
      return false;
    }
    for (int i = 0; i < before; i++) {
      if (!messages.get(i).equals(last.messages.get(i))) {
        return false;
      }
    }
    @Nullable String answer = last.output;
    for (Message message : messages.subList(before, messages.size())) {
      switch (message) {
        case Message.Assistant said -> answer = said.text();
        case Message.ToolResult _ -> {
          // Its run is told.
        }
        case Message.Instructions _, Message.User _ -> {
          return false;
        }
      }
    }
    String output = state.output().orElse(null);
    return output == null ? answer == null : output.equals(answer);
  }

  /** One after the other becomes what it is now; all before it are so already. */
  private void addMessages(Seen now, List<Change> found) {
    List<Message> from = last.messages;
    List<Message> to = now.messages;
    int next = 0;
    for (int i = 0; i < to.size(); i++) {
      boolean isOver = next == from.size();
      if (!isOver && from.get(next).equals(to.get(i))) {
        next++;
      } else if (isOver || comesLater(from.get(next), to, i)) {
        found.add(Change.add("/messages/" + i, cut(json(to.get(i)))));
      } else {
        String value = cut(json(to.get(i)));
        found.add(Change.replace("/messages/" + i, value, cut(json(from.get(next)))));
        next++;
      }
    }
    for (; next < from.size(); next++) {
      found.add(Change.remove("/messages/" + to.size()));
    }
  }

  private static boolean comesLater(Message message, List<Message> in, int place) {
    int end = Math.min(in.size(), place + 1 + FARTHEST_LOOK);
    return in.subList(place + 1, end).contains(message);
  }

  private void addStore(Seen now, List<Change> found) {
    now.store.forEach(
        (key, value) -> {
          String path = inStore(key);
          String before = last.store.get(key);
          if (before == null) {
            found.add(Change.add(path, cut(value)));
          } else if (!before.equals(value)) {
            found.add(Change.replace(path, cut(value), cut(before)));
          }
        });
    last.store.keySet().stream()
        .filter(key -> !now.store.containsKey(key))
        .forEach(key -> found.add(Change.remove(inStore(key))));
  }

  private static String inStore(String key) {
    return "/store/" + key.replace("~", "~0").replace("/", "~1");
  }

  private static String json(Message message) {
    return StateChange.json(Records.message(message));
  }

  private String tools(Seen seen) {
    return terms.tools(seen.tools.stream().map(EvalTool::definition).toList());
  }

  private static String choice(Seen seen) {
    return StateChange.json(KnownTerms.choice(seen.choice));
  }

  private static String output(Seen seen) {
    return StateChange.json(seen.output == null ? "" : seen.output);
  }

  private String cut(String json) {
    if (json.length() > MOST_CHARACTERS - characters) {
      return "\"[left out: %d characters]\"".formatted(json.length());
    }
    characters += json.length();
    return json;
  }

  /** All that was told. */
  synchronized StateHistory history() {
    return told.isEmpty() ? StateHistory.NONE : new StateHistory(initial(), told);
  }

  private String initial() {
    var json = new StringBuilder("{\"messages\":[");
    for (int i = 0; i < first.messages.size(); i++) {
      json.append(i == 0 ? "" : ",").append(cut(json(first.messages.get(i))));
    }
    // A sample begins without tools, and with an empty store.
    return json.append("],\"tools\":[],\"tool_choice\":")
        .append(choice(first))
        .append(",\"store\":{},\"output\":{\"completion\":\"\"},\"completed\":false}")
        .toString();
  }
}
