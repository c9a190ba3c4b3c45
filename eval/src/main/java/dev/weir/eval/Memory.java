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
      _ ->
          new Asking() {
            @Override
            public Optional<Answer> known() {
              return Optional.empty();
            }

            @Override
            public void taken() {}

            @Override
            public void keep(Answer answer) {}

            @Override
            public void close() {}
          };

  /**
   * @param reply as it is to be given again
   * @param dollars that it cost, as far as that is known
   * @param took how long it was in flight
   * @param beside whether the sample asked something else meanwhile
   */
  record Answer(String reply, BigDecimal dollars, Duration took, boolean beside) {}

  /**
   * Somebody asks, perhaps while others ask the same.
   *
   * @param asked a hash of the question, of who was asked and of how
   */
  Asking ask(String asked);

  /** One who asks, until he has his answer or wants none any more. */
  interface Asking extends AutoCloseable {

    /** What he was answered before; nobody else is given that. */
    Optional<Answer> known();

    /** He has it now. */
    void taken();

    /** Returns when it is safe, also if the task is cancelled: it was paid for. */
    void keep(Answer answer);

    @Override
    void close();
  }
}
