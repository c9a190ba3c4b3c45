package dev.weir.eval.select;

import dev.weir.eval.Memory.Answer;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Something that an evaluation asks, perhaps several times at once: who asks it, and what is known
 * of the answers. Each who asks has a place, and gets the answer that was given there before; one
 * who was not answered leaves his place to the next.
 *
 * <p>Places are numbered in the order of asking. Where several tasks ask at once that order is a
 * matter of chance, so a task gets its own place again, known by its name. If none was answered by
 * that name, any answer serves: what was paid for is used before something is paid for.
 *
 * <p>Not thread-safe.
 */
final class Question {

  /**
   * @param task the name of the task that asks
   * @param turn its number among those of that task
   */
  record Place(int number, String task, int turn) {}

  private record Known(Place place, Answer answer) {}

  // By number.
  private final Map<Integer, Known> known = new TreeMap<>();
  private final BitSet taken = new BitSet();
  private final Map<String, BitSet> turns = new HashMap<>();

  /** Of several answers to one call, the last is the one that was used. */
  void know(Place place, Answer answer) {
    known.put(place.number, new Known(place, answer));
  }

  Place ask(String task) {
    BitSet own = turns.computeIfAbsent(task, _ -> new BitSet());
    int turn = own.nextClearBit(0);
    int number =
        known.values().stream()
            .map(Known::place)
            .filter(place -> place.turn == turn && place.task.equals(task))
            .mapToInt(Place::number)
            .filter(before -> !taken.get(before))
            .findFirst()
            .orElseGet(() -> taken.nextClearBit(0));
    own.set(turn);
    taken.set(number);
    return new Place(number, task, turn);
  }

  Optional<Answer> answer(Place place) {
    return Optional.ofNullable(known.get(place.number)).map(Known::answer);
  }

  /** He was not answered. */
  void leave(Place place) {
    taken.clear(place.number);
    turns.getOrDefault(place.task, new BitSet()).clear(place.turn);
  }
}
