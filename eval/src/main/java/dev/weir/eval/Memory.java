package dev.weir.eval;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;

/**
 * The answers of a sample that was ended before it was through: run again, it goes on where it was,
 * as long as it asks the same. Thread-safe.
 */
public interface Memory {

  /** Nothing is known, and nothing is kept. */
  Memory NONE =
      new Memory() {
        @Override
        public Optional<Answer> take(String asked) {
          return Optional.empty();
        }

        @Override
        public void keep(String asked, Answer answer) {}
      };

  /**
   * @param epoch of the sample that asked, from 0
   * @param reply as it is to be given again
   * @param dollars that it cost, as far as that is known
   * @param began when the call left, on a clock that begins with the sample and stands still while
   *     nobody runs it
   * @param took how long it was in flight
   */
  record Answer(int epoch, String reply, BigDecimal dollars, Duration began, Duration took) {}

  /**
   * The next answer to what is asked; each is given once.
   *
   * @param asked a hash of the question, of who was asked and of how
   */
  Optional<Answer> take(String asked);

  /** Returns when it is safe, also if the task is cancelled: it was paid for. */
  void keep(String asked, Answer answer);
}
