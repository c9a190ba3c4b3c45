package dev.weir.eval.promptfoo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.Evaluation;
import dev.weir.eval.Host;
import dev.weir.eval.option.Settings;
import dev.weir.log.RunLogReader;
import dev.weir.log.RunResult;
import dev.weir.log.SampleResult;
import dev.weir.time.virtual.VirtualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whole configurations against simulated models, on virtual time. */
class PromptfooRunTest {

  @TempDir Path directory;

  private final VirtualTime time = VirtualTime.seeded(1);

  private Evaluation.Finished run(String yaml) throws Exception {
    Path file = Files.writeString(directory.resolve("promptfooconfig.yaml"), yaml);
    Settings settings = Settings.NONE.with("log_dir", directory.resolve("logs")).with("seed", 3);
    return time.run(
        () ->
            Evaluation.prepare(
                    time,
                    PromptfooConfig.read(file, Map.of()),
                    settings,
                    new Host(Map.of(), Optional.empty(), (_, _) -> {}))
                .run());
  }

  private static List<SampleResult> samples(Evaluation.FinishedRun run) throws IOException {
    List<SampleResult> samples = new ArrayList<>();
    try (var log = RunLogReader.open(run.file().orElseThrow())) {
      for (var sample = log.sample(); sample.isPresent(); sample = log.sample()) {
        samples.add(sample.get());
      }
    }
    return samples;
  }

  @Test
  void providersTimesTestsTimesRepetitionsAreScored() throws Exception {
    Evaluation.Finished finished =
        run(
            """
            providers:
              - {id: 'weir:sim/good', label: good, config: {accuracy: 1, rpm: 0}}
              - {id: 'weir:sim/bad', label: bad, config: {accuracy: 0, rpm: 0}}
            prompts: ['What is {{x}} plus one?']
            evaluateOptions: {repeat: 2}
            tests:
              - {vars: {x: ['1', '2', '3']}, assert: [{type: contains, value: 'answer {{x}}'}, {type: not-contains, value: sorry}]}
            """);
    assertThat(finished.runs()).hasSize(2);
    RunResult good = finished.runs().getFirst().result();
    RunResult bad = finished.runs().get(1).result();
    assertThat(good.start().task()).endsWith(": good");
    assertThat(good.samples()).isEqualTo(new RunResult.Counts(6, 6, 0, 0));
    assertThat(good.metrics().get("accuracy")).isEqualTo(1.0);
    assertThat(bad.metrics().get("accuracy")).isEqualTo(0.0);
    // One of two assertions holds for whatever a model says.
    assertThat(samples(finished.runs().get(1)))
        .allSatisfy(sample -> assertThat(score(sample, "score")).isEqualTo(0.5));
  }

  private static double score(SampleResult sample, String scorer) {
    return java.util.Objects.requireNonNull(sample.scores().get(scorer)).value();
  }

  @Test
  void latencyIsNotWaiting() throws Exception {
    Evaluation.Finished finished =
        run(
            """
            providers: {id: 'weir:sim/slow', config: {latency: 1s, rpm: 6, burst: 1, accuracy: 1}}
            prompts: ['{{x}}?']
            tests: [{vars: {x: ['1', '2', '3', '4', '5', '6', '7', '8']}, assert: [{type: latency, threshold: 5000}]}]
            """);
    List<SampleResult> samples = samples(finished.runs().getFirst());
    // A call each ten seconds: most wait longer than the threshold.
    assertThat(samples).anyMatch(sample -> sample.times().total() > 5);
    assertThat(samples).allSatisfy(sample -> assertThat(score(sample, "pass")).isEqualTo(1));
  }

  @Test
  void judgesPlayTheirRole() throws Exception {
    Evaluation.Finished finished =
        run(
            """
            providers: {id: 'weir:sim/x', config: {rpm: 0}}
            prompts: ['{{x}}?']
            defaultTest:
              options: {provider: {id: 'weir:sim/judge', config: {accuracy: 1, rpm: 0}}}
              assert: [{type: llm-rubric, value: good}]
            tests: [{vars: {x: ['1', '2']}}]
            """);
    assertThat(finished.result().samples().scored()).isEqualTo(2);
    assertThat(finished.result().metrics().get("accuracy")).isEqualTo(1.0);
  }

  @Test
  void aTestThatCannotBeJudgedFailsAndTheOthersGoOn() throws Exception {
    Evaluation.Finished finished =
        run(
            """
            providers: {id: 'weir:sim/x', config: {accuracy: 1, rpm: 0}}
            prompts: ['{{x}}?']
            tests:
              - {vars: {x: ['1', '2', '3']}, assert: [{type: contains, value: answer}]}
              - {providerOutput: given, assert: [{type: cost, threshold: 1}]}
            """);
    assertThat(finished.result().status()).isEqualTo(RunResult.Status.SUCCESS);
    assertThat(finished.result().samples()).isEqualTo(new RunResult.Counts(4, 3, 1, 0));
    assertThat(samples(finished.runs().getFirst()))
        .anyMatch(sample -> sample.error().orElse("").contains("no model was called"));
  }

  @Test
  void theBestOfSeveralProvidersIsChosen() throws Exception {
    Evaluation.Finished finished =
        run(
            """
            providers:
              - {id: 'weir:sim/a', label: a, config: {accuracy: 1, rpm: 0}}
              - {id: 'weir:sim/b', label: b, config: {accuracy: 1, rpm: 0}}
            prompts: ['{{x}}?']
            defaultTest: {options: {provider: {id: 'weir:sim/judge', config: {accuracy: 1, rpm: 0}}}}
            tests: [{vars: {x: ['1', '2']}, assert: [{type: select-best, value: the longest}]}]
            """);
    assertThat(finished.runs()).hasSize(1);
    // A simulated judge that is right takes the first.
    for (SampleResult sample : samples(finished.runs().getFirst())) {
      assertThat(sample.error()).isEmpty();
      assertThat(score(sample, "a")).isEqualTo(1);
      assertThat(score(sample, "b")).isEqualTo(0);
    }
  }
}
