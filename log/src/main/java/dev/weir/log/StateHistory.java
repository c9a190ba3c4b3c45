package dev.weir.log;

import java.util.List;

/**
 * How the state of a sample came to be what it is. What models said and tools gave back is told by
 * their calls: of a sample that was only asked and answered, there is no more to tell.
 *
 * @param initial JSON of the state before the first step, an object; empty if nothing is told
 * @param changes of the steps that did more than to go on with the conversation
 */
public record StateHistory(String initial, List<StateChange> changes) {

  public static final StateHistory NONE = new StateHistory("{}", List.of());

  public StateHistory {
    changes = List.copyOf(changes);
  }
}
