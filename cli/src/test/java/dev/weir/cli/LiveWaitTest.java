package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.Evaluation;
import dev.weir.eval.Host;
import dev.weir.eval.option.Settings;
import dev.weir.eval.run.ModelProgress;
import dev.weir.eval.task.TaskFile;
import dev.weir.limits.LimitKey;
import dev.weir.limits.event.Constraint;
import dev.weir.simulator.server.Given;
import dev.weir.simulator.server.Rehearsal;
import dev.weir.simulator.server.Setting;
import dev.weir.simulator.server.Simulation;
import dev.weir.time.Task;
import dev.weir.time.virtual.VirtualTime;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the line of a display says while a run waits, on virtual time. */
@Timeout(60)
class LiveWaitTest {

  private static final String MODEL = "openai/gpt-4o";

  @TempDir Path directory;

  private Path task(int words) throws Exception {
    Files.writeString(
        directory.resolve("many.csv"),
        IntStream.range(0, 400)
            .mapToObj(i -> "%s%d?,%d\n".formatted("word ".repeat(words), i, i))
            .collect(Collectors.joining("", "input,target\n", "")));
    return Files.writeString(
        directory.resolve("task.yaml"),
        "task: many\ndataset: many.csv\nsolver: generate\nscorer: includes\n");
  }

  /** What was said each time that a quota was waited for, from a time when quotas are known. */
  private List<String> said(String tier, int words, int maxTokens) throws Exception {
    Map<Setting, List<Given>> given = new EnumMap<>(Setting.class);
    Arrays.stream(tier.split(" "))
        .map(pair -> pair.split("=", 2))
        .forEach(
            pair ->
                given.put(Setting.of(pair[0]).orElseThrow(), List.of(new Given(pair[0], pair[1]))));
    Path file = task(words);
    VirtualTime time = VirtualTime.seeded(1);
    return time.run(
        () -> {
          var rehearsal = new Rehearsal(Simulation.of(Optional.empty(), given, 1), time, 250, 5);
          var host =
              new Host(
                  Map.of(),
                  Optional.empty(),
                  (_, _) -> {},
                  Optional.of(
                      name ->
                          rehearsal.open(
                              name,
                              LimitKey.named(name.toString()),
                              settings -> settings.maxTokens(),
                              true)));
          Evaluation evaluation =
              Evaluation.prepare(
                  time,
                  List.of(TaskFile.read(file)),
                  Settings.NONE.with("model", MODEL).with("max_tokens", maxTokens),
                  host);
          Task<?> running = time.start("evaluation", evaluation::run);
          time.sleep(Duration.ofSeconds(40));
          List<String> sentences = new ArrayList<>();
          for (int i = 0; i < 40; i++) {
            time.sleep(Duration.ofMillis(337));
            ModelProgress model = evaluation.models().getFirst();
            if (model.waitingFor().constraint() == Constraint.QUOTA) {
              sentences.add(Bottleneck.sentence(evaluation.progress(), List.of(model), 0));
            }
          }
          running.cancel();
          return sentences;
        });
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "requests      | rpm=60 tpm=900000 headers=openai latency=1s | 1 | 250",
        "input tokens  | rpm=900 input-tpm=200000 output-tpm=900000 headers=anthropic latency=1s |"
            + " 2000 | 250",
      })
  void theQuotaThatIsNamedIsTheOneThatIsDueLast(String quota, String tier, int words, int most)
      throws Exception {
    assertThat(said(tier, words, most))
        .isNotEmpty()
        .allSatisfy(
            sentence ->
                assertThat(sentence)
                    .matches(
                        "waiting on %s per minute of openai/gpt-4o, next in [\\d.]+ m?s"
                            .formatted(quota)));
  }
}
