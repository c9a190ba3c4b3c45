package dev.weir.providers.custom;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LeftBehindTest {

  private static final int MANY = 40;
  private static final Time TIME = Time.system();
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final LeftBehind leftBehind = new LeftBehind();
  private final List<Process> started = new ArrayList<>();

  @AfterEach
  void endAll() {
    for (Process process : started) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  private Process start(String mark, String line) throws Exception {
    var builder = new ProcessBuilder("sh", "-c", line);
    builder.environment().put(LeftBehind.VARIABLE, mark);
    Process process = builder.start();
    started.add(process);
    return process;
  }

  /** When it has printed the number of what it started, all of it runs. */
  private static ProcessHandle child(Process process) throws Exception {
    String pid = process.inputReader().readLine();
    return ProcessHandle.of(Long.parseLong(pid)).orElseThrow();
  }

  private static void awaitEnd(ProcessHandle process) throws Exception {
    long deadline = TIME.after(PATIENCE);
    while (process.isAlive()) {
      assertThat(TIME.nanos()).as("in time").isLessThan(deadline);
      TIME.sleep(Duration.ofMillis(2));
    }
  }

  /** A run that is interrupted ends all at once, and a look at all processes is dear. */
  @Test
  void oneLookIsForAllThatAreToEnd() throws Exception {
    List<LeftBehind.Entry> entries = new ArrayList<>();
    List<ProcessHandle> processes = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      Process process = start("one-look-" + i, "sleep 120 & echo $!; wait");
      processes.add(process.toHandle());
      processes.add(child(process));
      entries.add(leftBehind.add(process, "one-look-" + i));
    }
    leftBehind.end(entries.getFirst());
    for (ProcessHandle process : processes) {
      awaitEnd(process);
    }
    int looks = leftBehind.looks();
    assertThat(looks).isBetween(1, MANY / 4);
    entries.forEach(leftBehind::end);
    assertThat(leftBehind.looks()).isEqualTo(looks);
  }

  @Test
  void whatHasRemovedTheMarkIsFoundBelowItsParent() throws Exception {
    Process process = start("removed", "env -i sleep 120 & echo $!; wait");
    ProcessHandle child = child(process);
    leftBehind.end(process, "removed");
    awaitEnd(process.toHandle());
    awaitEnd(child);
  }

  @Test
  void othersGoOn() throws Exception {
    Process other = start("other-1", "sleep 120 & echo $!; wait");
    ProcessHandle child = child(other);
    Process process = start("other-2", "sleep 120 & echo $!; wait");
    ProcessHandle ended = child(process);
    leftBehind.end(process, "other-2");
    awaitEnd(ended);
    assertThat(other.isAlive()).isTrue();
    assertThat(child.isAlive()).isTrue();
  }
}
