package dev.weir.eval.run;

import dev.weir.log.DatasetRecord;
import dev.weir.log.RunStart;
import dev.weir.log.SampleIds;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/** The beginning of runs that tests make by hand. */
public final class RunStarts {

  private RunStarts() {}

  public static RunStart of(
      String task, String model, int samples, int epochs, long seed, String scorer, Instant at) {
    return new RunStart(
        "id",
        "task-id",
        task,
        Optional.empty(),
        new DatasetRecord(
            task,
            Optional.empty(),
            SampleIds.ofTexts(IntStream.range(0, samples).mapToObj(String::valueOf).toList()),
            false),
        List.of(),
        model,
        Map.of(),
        epochs,
        seed,
        "static",
        1,
        List.of(scorer),
        Map.of(),
        List.of(),
        Map.of(),
        at,
        Optional.empty());
  }
}
