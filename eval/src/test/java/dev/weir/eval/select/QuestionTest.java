package dev.weir.eval.select;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.Memory.Answer;
import dev.weir.eval.select.Question.Place;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class QuestionTest {

  private final Question question = new Question();

  private static Answer answer(String text) {
    return new Answer(text, BigDecimal.ONE, Duration.ZERO, false);
  }

  private Optional<String> answerFor(String task) {
    return question.answer(question.ask(task)).map(Answer::reply);
  }

  @Test
  void whoWasNotAnsweredLeavesHisPlaceToTheNext() {
    Place first = question.ask("sample");
    Place second = question.ask("sample");
    question.leave(first);
    assertThat(question.ask("sample")).isEqualTo(first);
    assertThat(question.ask("sample")).isEqualTo(new Place(2, "sample", 2));
    assertThat(second).isEqualTo(new Place(1, "sample", 1));
  }

  /** The first was in flight, the second was answered: it must not lose that to the first. */
  @Test
  void whoWasNotAnsweredTakesNothingFromWhoWas() {
    question.know(new Place(1, "sample", 1), answer("second"));
    assertThat(answerFor("sample")).isEmpty();
    assertThat(answerFor("sample")).hasValue("second");
    assertThat(answerFor("sample")).isEmpty();
  }

  @Test
  void tasksAreKnownByTheirNamesInWhateverOrderTheyAsk() {
    question.know(new Place(2, "c", 0), answer("of c"));
    question.know(new Place(1, "b", 0), answer("of b"));
    assertThat(answerFor("c")).hasValue("of c");
    assertThat(answerFor("a")).isEmpty();
    assertThat(answerFor("b")).hasValue("of b");
  }

  @Test
  void anAnswerThatNobodyIsKnownForIsUsedAndOnlyOnce() {
    question.know(new Place(0, "old", 0), answer("one"));
    assertThat(answerFor("new")).hasValue("one");
    assertThat(answerFor("old")).isEmpty();
  }

  @Test
  void ofSeveralAnswersToOneCallTheLastWasUsed() {
    question.know(new Place(0, "sample", 0), answer("of an attempt that was given up"));
    question.know(new Place(0, "sample", 0), answer("of the next"));
    assertThat(answerFor("sample")).hasValue("of the next");
    assertThat(answerFor("sample")).isEmpty();
  }
}
