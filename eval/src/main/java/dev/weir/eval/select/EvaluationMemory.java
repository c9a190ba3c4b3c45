package dev.weir.eval.select;

import dev.weir.eval.Memory;
import dev.weir.eval.select.Question.Place;
import dev.weir.selection.Evaluation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The answers of one evaluation: those of an earlier time, and those that come now. */
final class EvaluationMemory implements Memory {

  private final SelectionJournal journal;
  private final Evaluation evaluation;
  private final BigDecimal before;
  // Guarded by this: by what is asked.
  private final Map<String, Question> questions = new HashMap<>();
  private BigDecimal unused;
  private @Nullable IOException lost;

  /** An answer, and to whom it was given. */
  record Given(String asked, Place place, Answer answer) {}

  /**
   * @param known in the order in which they were given
   */
  EvaluationMemory(SelectionJournal journal, Evaluation evaluation, List<Given> known) {
    this.journal = journal;
    this.evaluation = evaluation;
    known.forEach(given -> question(given.asked).know(given.place, given.answer));
    this.before =
        known.stream()
            .map(given -> given.answer.dollars())
            .reduce(BigDecimal.ZERO, BigDecimal::add);
    this.unused = before;
  }

  private Question question(String asked) {
    return questions.computeIfAbsent(asked, _ -> new Question());
  }

  @Override
  public synchronized Asking ask(String asked) {
    Question question = question(asked);
    return new Turn(asked, question, question.ask(Thread.currentThread().getName()));
  }

  /** One who asks. */
  private final class Turn implements Asking {

    private final String asked;
    private final Question question;
    private final Place place;
    // Guarded by the memory.
    private boolean isAnswered;
    private boolean isOver;

    Turn(String asked, Question question, Place place) {
      this.asked = asked;
      this.question = question;
      this.place = place;
    }

    @Override
    public Optional<Answer> known() {
      synchronized (EvaluationMemory.this) {
        return question.answer(place);
      }
    }

    @Override
    public void taken() {
      synchronized (EvaluationMemory.this) {
        isAnswered = true;
        unused = unused.subtract(known().map(Answer::dollars).orElse(BigDecimal.ZERO));
      }
    }

    @Override
    public void keep(Answer answer) {
      try {
        journal.answered(evaluation, new Given(asked, placeToKeep(), answer));
      } catch (IOException lost) {
        noteLost(lost);
        throw new UncheckedIOException("an answer could not be kept: " + lost, lost);
      }
    }

    /** An attempt that was given up may be answered when another has the place. */
    private Place placeToKeep() {
      synchronized (EvaluationMemory.this) {
        if (isOver) {
          return question.ask(place.task());
        }
        isAnswered = true;
        return place;
      }
    }

    @Override
    public void close() {
      synchronized (EvaluationMemory.this) {
        isOver = true;
        if (!isAnswered) {
          question.leave(place);
        }
      }
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

  /** Dollars of the answers of an earlier time. */
  double before() {
    return before.doubleValue();
  }

  /** Of those, what was paid for answers that nobody has asked for again. */
  synchronized double unused() {
    return unused.doubleValue();
  }
}
