package dev.weir.parquet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.Evaluation;
import dev.weir.eval.option.Settings;
import dev.weir.log.RunResult;
import dev.weir.time.virtual.VirtualTime;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example with a parquet file runs, on a simulated model that is always right. */
class ParquetExampleTest {

  @TempDir Path logs;

  @Test
  void theExampleRuns() throws Exception {
    Path task = Path.of(System.getProperty("weir.root", ".."), "examples/parquet/rivers.yaml");
    Settings settings =
        Settings.NONE.with("model", "sim/right:accuracy=1").with("seed", 1).with("log_dir", logs);
    VirtualTime time = VirtualTime.seeded(1);
    RunResult result = time.run(() -> Evaluation.prepare(time, task, settings).run()).result();
    assertThat(result.samples()).isEqualTo(new RunResult.Counts(3, 3, 0, 0));
    assertThat(result.metrics()).containsEntry("accuracy", 1.0);
  }
}
