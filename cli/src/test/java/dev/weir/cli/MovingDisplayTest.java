package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The display as people see it: a real process in a real terminal.
 *
 * <p>Needs tmux: runs in the profile {@code installed}.
 */
@Tag("installed")
class MovingDisplayTest {

  private static final int LONGEST_WAIT_SECONDS = 60;

  @TempDir Path directory;

  private String tmux(String words) throws Exception {
    Process process =
        new ProcessBuilder("bash", "-c", "tmux -L weir-display " + words)
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(LONGEST_WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
    return said;
  }

  @AfterEach
  void endTerminal() throws Exception {
    tmux("kill-server");
  }

  /** Looks until something is seen; a terminal tells nobody when it changes. */
  private String awaitScreen(Predicate<String> seen) throws Exception {
    long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(LONGEST_WAIT_SECONDS);
    String screen = "";
    while (System.nanoTime() < giveUp) {
      screen = tmux("capture-pane -p");
      if (seen.test(screen)) {
        return screen;
      }
      TimeUnit.MILLISECONDS.sleep(100);
    }
    throw new AssertionError("not seen after %d s:%n%s".formatted(LONGEST_WAIT_SECONDS, screen));
  }

  /** The program without its launcher, with the class path of this test. */
  private void start(int columns, int rows, String words) throws Exception {
    Path script =
        Files.writeString(
            directory.resolve("weir.sh"),
            "exec '%s/bin/java' --enable-native-access=ALL-UNNAMED -cp '%s' %s \"$@\"%n"
                .formatted(
                    System.getProperty("java.home"),
                    System.getProperty("java.class.path"),
                    Weir.class.getName()));
    tmux(
        "new-session -d -x %d -y %d -c '%s' 'PS1=READY_ bash --norc'"
            .formatted(columns, rows, directory));
    var _ = awaitScreen(screen -> screen.contains("READY_"));
    tmux("send-keys \"clear; bash %s %s\" Enter".formatted(script, words));
  }

  private static String task() {
    return System.getProperty("weir.root") + "/examples/capitals.yaml";
  }

  @Test
  void showsARunWithRateLimitsAndEndsTidily() throws Exception {
    start(110, 30, "eval " + task() + " -M latency=1s,rpm=300,burst=5 --log-level info");
    String screen =
        awaitScreen(seen -> seen.contains("waiting on requests per minute of sim/demo"));
    assertThat(screen.lines().filter(line -> line.startsWith("task "))).hasSize(1);
    assertThat(screen)
        .containsPattern("capitals +sim/demo +[█░]+ +\\d+/50 ")
        .containsPattern("sim/demo +\\d+/\\d+ +\\d+ +\\d+ +\\d+ of (29|30|31)\\d ");
    // It becomes narrower, and nothing is left of the wider one but what has scrolled away.
    tmux("resize-window -x 60 -y 30");
    String narrow =
        awaitScreen(seen -> seen.lines().anyMatch(line -> line.matches("task +model +done +.*")));
    assertThat(narrow.lines()).allMatch(line -> line.length() <= 60);
    String end = awaitScreen(seen -> seen.contains("Log: "));
    assertThat(end).contains("accuracy [95 %]", "Time of all samples: ");
    assertThat(end).as("what moved is gone").doesNotContain("score so far");
  }

  @Test
  void anInterruptLeavesTheTerminalAsItWas() throws Exception {
    start(100, 30, "eval " + task() + " -M latency=2s,rpm=60,burst=2");
    var _ = awaitScreen(seen -> seen.contains("score so far"));
    tmux("send-keys C-c");
    String end =
        awaitScreen(seen -> seen.contains("Log: ") && seen.lines().anyMatch("READY_"::equals));
    assertThat(end).contains("Interrupted: ").doesNotContain("score so far");
    assertThat(tmux("display-message -p '#{cursor_flag} #{wrap_flag}'").strip()).isEqualTo("1 1");
    tmux("send-keys \"echo code \\$?\" Enter");
    var _ = awaitScreen(seen -> seen.contains("code 130"));
  }
}
