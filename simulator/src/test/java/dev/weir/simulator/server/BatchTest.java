package dev.weir.simulator.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.simulator.server.Batch.Line;
import dev.weir.simulator.server.Batch.Phase;
import dev.weir.time.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class BatchTest {

  private static final long START = 5_000;

  private static Batch batch(int requests, long nanos, @Nullable String error) {
    return new Batch(
        "id",
        Instant.EPOCH,
        START,
        nanos,
        Collections.nCopies(requests, new Line("c", 1, 200, "{}")),
        "",
        "",
        Map.of(),
        error);
  }

  @Test
  void isCheckedWorkedOnPackedAndComplete() {
    Batch batch = batch(8, 1_000, null);
    assertThat(batch.phase(START)).isEqualTo(Phase.CHECKED);
    assertThat(batch.phase(START + 100)).isEqualTo(Phase.WORKED_ON);
    assertThat(batch.done(START + 100)).isZero();
    assertThat(batch.done(START + 500)).isEqualTo(4);
    assertThat(batch.phase(START + 900)).isEqualTo(Phase.PACKED);
    assertThat(batch.done(START + 900)).isEqualTo(8);
    assertThat(batch.hasEnded(START + 999)).isFalse();
    assertThat(batch.phase(START + 1_000)).isEqualTo(Phase.COMPLETE);
    assertThat(batch.hasEnded(START + 1_000)).isTrue();
    assertThat(batch.end()).isEqualTo(Instant.EPOCH.plusNanos(1_000));
  }

  @Test
  void whatIsDoneBeforeACancellationStaysDone() {
    Batch batch = batch(8, 1_000, null);
    assertThat(batch.cancel(START + 500)).isEqualTo(4);
    assertThat(batch.cancel(START + 510)).as("once").isZero();
    assertThat(batch.phase(START + 599)).isEqualTo(Phase.CANCELLED_SOON);
    assertThat(batch.phase(START + 600)).isEqualTo(Phase.CANCELLED);
    assertThat(batch.done(START + 5_000)).isEqualTo(4);

    Batch ended = batch(8, 1_000, null);
    assertThat(ended.cancel(START + 1_000)).isZero();
    assertThat(ended.phase(START + 1_000)).isEqualTo(Phase.COMPLETE);
  }

  @Test
  void oneThatIsWrongFailsAndOneThatTakesNoTimeIsDone() {
    Batch wrong = batch(8, 1_000, "no");
    assertThat(wrong.phase(START + 50)).isEqualTo(Phase.CHECKED);
    assertThat(wrong.phase(START + 100)).isEqualTo(Phase.FAILED);
    assertThat(wrong.done(START + 9_000)).isZero();
    Batch instant = batch(3, 0, null);
    assertThat(instant.phase(START)).isEqualTo(Phase.COMPLETE);
    assertThat(instant.done(START)).isEqualTo(3);
  }

  @Test
  void theOldestAreForgotten() {
    var batches = new Batches(Time.system(), Duration.ZERO);
    Batch first = create(batches, "x");
    for (int i = 0; i < Batches.MOST_BATCHES; i++) {
      create(batches, "x");
    }
    assertThat(batches.find(first.id())).isEmpty();
    assertThat(batches.page(_ -> true, "", 5_000).batches()).hasSize(Batches.MOST_BATCHES);

    Batches.StoredFile file = batches.store("a", "batch", new byte[10]);
    int half = (int) (Batches.MOST_BYTES / 2);
    batches.store("b", "batch", new byte[half]);
    Batches.StoredFile last = batches.store("c", "batch", new byte[half]);
    assertThat(batches.file(file.id())).isEmpty();
    assertThat(batches.file(last.id())).isPresent();
  }

  private static Batch create(Batches batches, String body) {
    return batches.create(
        "batch_",
        (id, created, createdNanos, nanos) ->
            new Batch(
                id,
                created,
                createdNanos,
                nanos,
                List.of(new Line("c", 1, 200, body)),
                "",
                "",
                Map.of(),
                null));
  }
}
