package dev.weir.eval.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.Mode;
import dev.weir.limits.pace.PaceSettings;
import dev.weir.limits.retry.AttemptTimeout;
import dev.weir.limits.retry.RetryBounds;
import dev.weir.log.RunResult;
import dev.weir.log.RunResult.Status;
import dev.weir.log.SampleResult;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Samples whose requests hang. */
class HungSamplesTest {

  private final ScriptedRun runs = new ScriptedRun();

  HungSamplesTest() {
    runs.samples = 500;
    runs.mode = new Mode.Pace(PaceSettings.defaults());
    runs.bounds = RetryBounds.NONE.withAttemptTimeout(AttemptTimeout.AUTO);
  }

  private static List<String> notes(SampleResult sample) {
    return sample.notes().stream().map(note -> String.valueOf(note.data())).toList();
  }

  /** Every hundredth hangs when it is first asked. */
  @Test
  void aSampleThatHungIsAskedAgainAndSaysSo() throws Exception {
    Set<String> hung = new HashSet<>();
    runs.latency =
        request -> {
          String question = request.messages().getFirst().text();
          return question.endsWith("00") && hung.add(question)
              ? Duration.ofDays(10)
              : Duration.ofSeconds(1);
        };
    RunResult result = runs.run();
    assertThat(result.status()).isEqualTo(Status.SUCCESS);
    assertThat(Duration.ofNanos(runs.time.nanos())).isLessThan(Duration.ofMinutes(30));
    assertThat(runs.log)
        .allSatisfy(
            sample -> assertThat(notes(sample)).hasSize(sample.id().endsWith("00") ? 1 : 0));
    assertThat(runs.log)
        .filteredOn(sample -> sample.id().equals("s100"))
        .first()
        .satisfies(
            sample ->
                assertThat(notes(sample))
                    .containsExactly(
                        "an attempt at fake/model was abandoned after 60 s without an answer; it"
                            + " may have been billed"));
  }
}
