package dev.weir.eval.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.sandbox.Waits;
import dev.weir.log.Times;
import dev.weir.time.Task;
import dev.weir.time.virtual.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Working time, against a clock that marks each millisecond by hand. */
class SampleMeterTest {

  @Test
  void waitsThatOverlapAreMerged() {
    var random = new SplittableRandom(3);
    for (int trial = 0; trial < 500; trial++) {
      var intervals = new Intervals();
      var marked = new BitSet();
      for (int i = 0; i < 1 + random.nextInt(40); i++) {
        int begin = random.nextInt(1_000);
        int end = begin + random.nextInt(-20, 100);
        intervals.add(begin, end);
        if (end > begin) {
          marked.set(begin, end);
        }
        assertThat(intervals.total()).isEqualTo(marked.cardinality());
        int from = random.nextInt(1_000);
        int until = from + random.nextInt(1, 300);
        var withOneMore = (BitSet) marked.clone();
        withOneMore.set(from, until);
        assertThat(intervals.totalWith(from, until)).isEqualTo(withOneMore.cardinality());
      }
    }
  }

  /** Several calls at once, each waiting now and then, for all of its time or none. */
  @Test
  void workingTimeIsWhatNobodyWaitedAndNeverNegative() throws Exception {
    for (int seed = 0; seed < 100; seed++) {
      var random = new SplittableRandom(seed);
      VirtualTime time = VirtualTime.seeded(seed);
      var marked = new BitSet();
      Times times =
          time.run(
              () -> {
                var meter = new SampleMeter(time);
                List<Task<?>> calls = new ArrayList<>();
                for (int call = 0; call < 1 + random.nextInt(6); call++) {
                  SplittableRandom own = random.split();
                  calls.add(
                      time.start(
                          "call",
                          () -> {
                            for (int wait = 0; wait < 5; wait++) {
                              time.sleep(Duration.ofMillis(3L * own.nextInt(50)));
                              long begin = time.nanos();
                              Waits.Wait open = meter.waitBegan(begin);
                              time.sleep(Duration.ofMillis(own.nextInt(50)));
                              open.ended(time.nanos());
                              marked.set(millis(begin), millis(time.nanos()));
                            }
                          }));
                }
                for (Task<?> call : calls) {
                  call.join();
                }
                return meter.times();
              });
      long total = Math.round(times.total() * 1_000);
      long working = Math.round(times.working() * 1_000);
      assertThat(working).isNotNegative().isEqualTo(total - marked.cardinality());
    }
  }

  private static int millis(long nanos) {
    return (int) (nanos / 1_000_000);
  }
}
