package dev.weir.limits.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.control.WindowChange.Reason;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The figures that were verified with Inspect's own code, which rounds to multiples of five. */
class AimdRoundedToFivesTest {

  private static final AimdSettings FIVES = AimdSettings.defaults().withRoundToFives(true);
  private static final AimdSettings INSPECT = FIVES.withBounds(10, 20, 100);
  private static final Duration COOLDOWN = FIVES.cooldown();

  private long now;

  @ParameterizedTest
  @CsvSource({
    "1, 2",
    "4, 5",
    "8, 9",
    "9, 10",
    "10, 15",
    "15, 20",
    "20, 25",
    "50, 55",
    "95, 100",
    "100, 105",
    "110, 120",
    "130, 140",
    "200, 210",
    "300, 315",
    "500, 525"
  })
  void oneStepUp(int from, int to) {
    // The refusal ends slow start; at the floor it cuts nothing.
    Aimd aimd = steady(FIVES.withBounds(from, from, 1_000));
    assertThat(aimd.window()).isEqualTo(from);
    assertThat(answersToGrow(aimd)).isEqualTo(Math.max(from, 4));
    assertThat(aimd.history())
        .containsExactly(new WindowChange(now, from, to, Reason.STEADY_STATE_UP));
  }

  @ParameterizedTest
  @CsvSource({
    "100, 80", "80, 60", "60, 45", "50, 40", "45, 35", "40, 30", "35, 25", "30, 20", "25, 20",
    "20, 15", "15, 10", "12, 9", "10, 8", "9, 7", "5, 4", "2, 1", "1, 1"
  })
  void oneCut(int from, int to) {
    var aimd = new Aimd(FIVES.withBounds(1, from, 1_000));
    refuse(aimd);
    assertThat(aimd.window()).isEqualTo(to);
  }

  @Test
  void slowStartToTheCeilingNeeds140Answers() {
    var aimd = new Aimd(INSPECT);
    assertThat(answersToReach(aimd, 100)).isEqualTo(140);
    assertThat(aimd.history()).extracting(WindowChange::to).containsExactly(40, 80, 100);
  }

  @Test
  void fromTheCeilingToTheFloorItTakesEightCutsIn105Seconds() {
    var aimd = new Aimd(INSPECT.withBounds(10, 100, 100));
    long begin = now;
    while (aimd.window() > 10) {
      refuse(aimd);
      now += Duration.ofMillis(100).toNanos();
    }
    assertThat(aimd.history())
        .extracting(WindowChange::to)
        .containsExactly(80, 60, 45, 35, 25, 20, 15, 10);
    assertThat(Duration.ofNanos(aimd.history().getLast().nanos() - begin))
        .isEqualTo(Duration.ofSeconds(105));
  }

  @Test
  void fromTheFloorToTheCeilingItTakes18RoundsAnd945Answers() {
    Aimd aimd = steady(INSPECT.withBounds(10, 10, 100));
    assertThat(answersToReach(aimd, 100)).isEqualTo(945);
    assertThat(aimd.history()).hasSize(18);
  }

  @Test
  void recoveringFromOneCutTakesFourRoundsAnd350Answers() {
    Aimd aimd = steady(INSPECT.withBounds(10, 100, 100));
    assertThat(aimd.window()).isEqualTo(80);
    assertThat(answersToReach(aimd, 100)).isEqualTo(350);
    assertThat(aimd.history()).extracting(WindowChange::to).containsExactly(80, 85, 90, 95, 100);
  }

  private Aimd steady(AimdSettings settings) {
    var aimd = new Aimd(settings);
    refuse(aimd);
    now += COOLDOWN.toNanos();
    return aimd;
  }

  private void refuse(Aimd aimd) {
    aimd.rateLimited(now, Optional.empty(), Optional.empty());
  }

  private int answersToReach(Aimd aimd, int window) {
    int answers = 0;
    while (aimd.window() < window) {
      answers += answersToGrow(aimd);
    }
    return answers;
  }

  private int answersToGrow(Aimd aimd) {
    int before = aimd.window();
    int answers = 0;
    while (aimd.window() == before) {
      aimd.acquired(now, before);
      aimd.succeeded(now, false);
      answers++;
    }
    return answers;
  }
}
