package dev.weir.eval.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.weir.time.Task;
import dev.weir.time.virtual.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class KeptTest {

  private final VirtualTime time = VirtualTime.seeded(1);
  private final Kept kept = new Kept(time);
  private final List<String> told = new ArrayList<>();

  private final class Thing implements AutoCloseable {
    private final String name;

    Thing(String name) {
      this.name = name;
      told.add("opened " + name);
    }

    @Override
    public void close() {
      told.add("closed " + name);
    }
  }

  private Thing slow(String name) throws InterruptedException {
    time.sleep(Duration.ofSeconds(1));
    return new Thing(name);
  }

  @Test
  void aThingIsOpenedOnceHoweverManyAskAndTheLastIsClosedFirst() throws Exception {
    time.run(
        () -> {
          List<Task<Thing>> asking = new ArrayList<>();
          for (int i = 0; i < 5; i++) {
            asking.add(time.start("asks", () -> kept.get("a", () -> slow("a"))));
          }
          Thing first = asking.getFirst().join();
          for (Task<Thing> task : asking) {
            assertThat(task.join()).isSameAs(first);
          }
          kept.get("b", () -> slow("b"));
          assertThat(kept.close()).isEmpty();
          return true;
        });
    assertThat(told).containsExactly("opened a", "opened b", "closed b", "closed a");
  }

  @Test
  void whoWaitedForOneThatWasCancelledOpensItHimself() throws Exception {
    time.run(
        () -> {
          Task<Thing> first = time.start("first", () -> kept.get("a", () -> slow("first")));
          Task<Thing> second = time.start("second", () -> kept.get("a", () -> slow("second")));
          time.sleep(Duration.ofMillis(500));
          first.cancel();
          assertThat(second.join().name).isEqualTo("second");
          return true;
        });
    assertThat(told).containsExactly("opened second");
  }

  @Test
  void aFailureToCloseIsToldAndSparesNoOther() throws Exception {
    kept.get("a", () -> new Thing("a"));
    kept.get(
        "b",
        () ->
            () -> {
              throw new IllegalArgumentException("stuck");
            });
    assertThat(kept.close()).hasValueSatisfying(why -> assertThat(why).contains("stuck"));
    assertThat(told).containsExactly("opened a", "closed a");
    assertThatIllegalStateException().isThrownBy(() -> kept.get("a", () -> new Thing("a")));
  }
}
