package dev.weir.providers.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.time.virtual.VirtualTime;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SilenceWatchTest {

  private static final Duration LONGEST = Duration.ofMinutes(10);

  private final VirtualTime time = VirtualTime.seeded(1);

  @Test
  void aSilenceIsNoticedATenthLaterAtMost() throws Exception {
    time.run(
        () -> {
          var hungUpAt = new AtomicLong();
          try (var watch = new SilenceWatch(time, LONGEST)) {
            time.sleep(Duration.ofSeconds(17));
            long begun = time.nanos();
            SilenceWatch.Call call = watch.begin(() -> hungUpAt.set(time.nanos()), LONGEST);
            time.sleep(LONGEST.multipliedBy(2));
            assertThat(Duration.ofNanos(hungUpAt.get() - begun))
                .isBetween(LONGEST, LONGEST.plus(LONGEST.dividedBy(10)));
            assertThat(call.end()).as("the connection is not given back").isFalse();
            assertThat(call.meaning(new IOException("closed")))
                .isInstanceOf(SocketTimeoutException.class)
                .hasMessage("nothing came for 600 s")
                .hasCauseInstanceOf(IOException.class);
          }
        });
  }

  @Test
  void whoSpeaksNowAndThenIsHeardToTheEnd() throws Exception {
    time.run(
        () -> {
          List<String> hungUp = new ArrayList<>();
          try (var watch = new SilenceWatch(time, LONGEST)) {
            SilenceWatch.Call talker = watch.begin(() -> hungUp.add("talker"), LONGEST);
            watch.begin(() -> hungUp.add("silent"), LONGEST);
            for (int minute = 0; minute < 60; minute += 9) {
              time.sleep(Duration.ofMinutes(9));
              talker.heard();
            }
            assertThat(hungUp).containsExactly("silent");
            var broken = new IOException("broken");
            assertThat(talker.meaning(broken)).isSameAs(broken);
            assertThat(talker.end()).isTrue();
          }
        });
  }

  /** Before that, whoever waits decides for how long. */
  @Test
  void theFirstByteMayTakeLonger() throws Exception {
    time.run(
        () -> {
          List<String> hungUp = new ArrayList<>();
          try (var watch = new SilenceWatch(time, LONGEST)) {
            SilenceWatch.Call slow = watch.begin(() -> hungUp.add("slow"), Duration.ofHours(3));
            time.sleep(Duration.ofHours(2));
            assertThat(hungUp).isEmpty();
            slow.heard();
            time.sleep(LONGEST.multipliedBy(2));
            assertThat(hungUp).containsExactly("slow");
            assertThat(slow.meaning(new IOException("closed")))
                .hasMessage("nothing came for 600 s");
          }
        });
  }

  @Test
  void whatHasEndedIsLeftAlone() throws Exception {
    time.run(
        () -> {
          List<String> hungUp = new ArrayList<>();
          try (var watch = new SilenceWatch(time, LONGEST)) {
            assertThat(watch.begin(() -> hungUp.add("ended"), LONGEST).end()).isTrue();
            time.sleep(LONGEST.multipliedBy(3));
          }
          assertThat(hungUp).isEmpty();
        });
  }
}
