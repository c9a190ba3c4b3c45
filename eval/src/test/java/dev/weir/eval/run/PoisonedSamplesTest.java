package dev.weir.eval.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.option.Settings;
import dev.weir.limits.Mode;
import dev.weir.limits.pace.PaceSettings;
import dev.weir.log.RunResult;
import dev.weir.log.RunResult.Status;
import dev.weir.log.SampleResult;
import dev.weir.model.Request;
import dev.weir.model.Usage;
import java.time.Duration;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Samples with a request that fails while others succeed. */
class PoisonedSamplesTest {

  private final ScriptedRun runs = new ScriptedRun();

  PoisonedSamplesTest() {
    runs.samples = 1_000;
    runs.mode = pace(1);
  }

  /** Sixty requests a minute on each connection. */
  private static Mode pace(int connections) {
    return new Mode.Pace(
        new PaceSettings(connections, OptionalDouble.empty(), OptionalDouble.empty(), false));
  }

  private static String question(Request request) {
    return request.messages().getFirst().text();
  }

  private void poison(Integer... numbers) {
    Set<Integer> poisoned = Set.of(numbers);
    runs.model =
        request ->
            poisoned.contains(Integer.parseInt(question(request).substring("question ".length())))
                ? ScriptedRun.transientFailure()
                : ScriptedRun.reply("answer", new Usage(100, 10));
  }

  private List<String> failed() {
    return runs.log.stream()
        .filter(sample -> sample.error().isPresent())
        .map(SampleResult::id)
        .toList();
  }

  /** Others run for 17 minutes; or for 20 s, and are long done when it is judged. */
  @ParameterizedTest
  @ValueSource(ints = {1, 50})
  void oneOfAThousandFailsAfterAllOthers(int connections) throws Exception {
    runs.mode = pace(connections);
    poison(17);
    RunResult result = runs.run();
    assertThat(result.samples().scored()).isEqualTo(999);
    assertThat(result.samples().failed()).isEqualTo(1);
    assertThat(result.status()).as("fail_on_error is 0").isEqualTo(Status.ERROR);
    SampleResult last = runs.log.getLast();
    assertThat(last.id()).isEqualTo("s17");
    assertThat(last.error().orElseThrow())
        .matches(
            "fake/model: 500; it failed \\d+ times in 1\\d min while other requests succeeded"
                + " \\(--max-poisoned-attempts\\), and once more after all others had finished");
    assertThat(last.notes()).hasSize(1);
    assertThat(String.valueOf(last.notes().getFirst().data())).contains("is put aside until all");
    assertThat(last.retries()).isGreaterThanOrEqualTo(8);
  }

  @ParameterizedTest
  @CsvSource({"3, SUCCESS", "2, ERROR"})
  void theyCountForFailOnErrorAtTheEnd(String threshold, Status status) throws Exception {
    runs.settings = Settings.NONE.with("fail_on_error", threshold);
    poison(3, 400, 700);
    RunResult result = runs.run();
    assertThat(result.status()).isEqualTo(status);
    assertThat(result.samples().scored()).isEqualTo(997);
    assertThat(failed()).containsExactlyInAnyOrder("s3", "s400", "s700");
    assertThat(runs.log.subList(997, 1_000)).allMatch(sample -> sample.error().isPresent());
  }

  /** One that is put aside leaves its place, even the only one. */
  @Test
  void othersRunInThePlaceOfOneThatIsPutAside() throws Exception {
    runs.samples = 200;
    runs.settings = Settings.NONE.with("max_samples", 2);
    runs.latency = _ -> Duration.ofSeconds(10);
    poison(1, 20, 30);
    RunResult result = runs.run();
    assertThat(result.samples().scored()).isEqualTo(197);
    assertThat(failed()).containsExactlyInAnyOrder("s1", "s20", "s30");
  }

  @Test
  void theLastAttemptMayBeAnswered() throws Exception {
    long healed = Duration.ofMinutes(15).toNanos();
    runs.model =
        request ->
            question(request).equals("question 17") && runs.time.nanos() < healed
                ? ScriptedRun.transientFailure()
                : ScriptedRun.reply("answer", new Usage(100, 10));
    RunResult result = runs.run();
    assertThat(result.status()).isEqualTo(Status.SUCCESS);
    assertThat(runs.log.getLast().id()).isEqualTo("s17");
    assertThat(runs.log.getLast().notes()).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void noSampleFailsWhereAThirdOfAllFailsForAnHour(long seed) throws Exception {
    var random = new SplittableRandom(seed);
    long hour = Duration.ofHours(1).toNanos();
    runs.samples = 3_600;
    runs.model =
        _ ->
            runs.time.nanos() < hour && random.nextInt(100) < 30
                ? ScriptedRun.transientFailure()
                : ScriptedRun.reply("answer", new Usage(100, 10));
    RunResult result = runs.run();
    assertThat(result.status()).as("seed %d", seed).isEqualTo(Status.SUCCESS);
    assertThat(runs.time.nanos()).isGreaterThan(hour);
  }

  @Test
  void noSampleFailsByAnOutage() throws Exception {
    long begin = Duration.ofMinutes(5).toNanos();
    long end = Duration.ofMinutes(45).toNanos();
    runs.model =
        _ ->
            runs.time.nanos() >= begin && runs.time.nanos() < end
                ? ScriptedRun.transientFailure()
                : ScriptedRun.reply("answer", new Usage(100, 10));
    RunResult result = runs.run();
    assertThat(result.status()).isEqualTo(Status.SUCCESS);
    assertThat(runs.log).allMatch(sample -> sample.notes().isEmpty());
  }
}
