package dev.weir.eval.select;

import dev.weir.eval.Memory;
import dev.weir.selection.Evaluation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.util.Collection;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The answers of one evaluation: those of an earlier time, and those that come now. */
final class EvaluationMemory implements Memory {

  private final SelectionJournal journal;
  private final Evaluation evaluation;
  private final BigDecimal before;
  // Guarded by this.
  private final Map<String, Deque<Answer>> known;
  private BigDecimal unused;
  private int calls;
  private @Nullable IOException lost;

  EvaluationMemory(
      SelectionJournal journal, Evaluation evaluation, Map<String, Deque<Answer>> known) {
    this.journal = journal;
    this.evaluation = evaluation;
    this.known = known;
    this.before =
        known.values().stream()
            .flatMap(Collection::stream)
            .map(Answer::dollars)
            .reduce(BigDecimal.ZERO, BigDecimal::add);
    this.unused = before;
  }

  @Override
  public synchronized Optional<Answer> take(String asked) {
    Deque<Answer> answers = known.get(asked);
    Optional<Answer> next =
        answers == null ? Optional.empty() : Optional.ofNullable(answers.poll());
    if (next.isPresent()) {
      calls++;
      unused = unused.subtract(next.get().dollars());
    }
    return next;
  }

  @Override
  public void keep(String asked, Answer answer) {
    try {
      journal.answered(evaluation, nextNumber(), asked, answer);
    } catch (IOException lost) {
      noteLost(lost);
      throw new UncheckedIOException("an answer could not be kept: " + lost, lost);
    }
  }

  private synchronized void noteLost(IOException why) {
    lost = lost == null ? why : lost;
  }

  /** Fails if an answer was paid for and could not be kept. */
  synchronized void requireKept() throws IOException {
    if (lost != null) {
      throw lost;
    }
  }

  private synchronized int nextNumber() {
    return ++calls;
  }

  /** Dollars of the answers of an earlier time. */
  double before() {
    return before.doubleValue();
  }

  /** Of those, what was paid for answers that nobody has asked for again. */
  synchronized double unused() {
    return unused.doubleValue();
  }
}
