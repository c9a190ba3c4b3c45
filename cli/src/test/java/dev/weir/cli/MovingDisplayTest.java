package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
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
  private @Nullable Process copy;

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
    if (copy != null) {
      copy.destroy();
    }
  }

  /** Looks at the screen whenever something was written to it, until something is seen. */
  private String awaitScreen(Predicate<String> seen) throws Exception {
    String screen = tmux("capture-pane -p");
    var written = new byte[8192];
    while (!seen.test(screen)) {
      if (writing().read(written) < 0) {
        throw new AssertionError("not seen in time:%n%s".formatted(screen));
      }
      screen = tmux("capture-pane -p");
    }
    return screen;
  }

  /** What is written to the terminal; ends when everybody has waited long enough. */
  private InputStream writing() throws Exception {
    if (copy == null) {
      Path pipe = directory.resolve("written");
      assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
      tmux("pipe-pane 'exec cat > %s'".formatted(pipe));
      copy =
          new ProcessBuilder(
                  "timeout", String.valueOf(LONGEST_WAIT_SECONDS), "cat", pipe.toString())
              .start();
    }
    return copy.getInputStream();
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
    var _ = writing();
    // A prompt that was written before somebody listened is written again.
    tmux("send-keys Enter");
    var _ = awaitScreen(screen -> screen.contains("READY_"));
    tmux("send-keys \"clear; bash %s %s\" Enter".formatted(script, words));
  }

  private static String task() {
    return System.getProperty("weir.root") + "/examples/capitals.yaml";
  }

  @Test
  void showsARunWithRateLimitsAndEndsTidily() throws Exception {
    start(110, 30, "eval " + task() + " -M latency=1s,rpm=300,burst=5 --log-level info");
    // What it takes the quota for in the first moments is a guess.
    var known = Pattern.compile("sim/demo +\\d+(?:/\\d+)? +\\d+ +\\d+ +\\d+ of (29|30|31)\\d ");
    String screen =
        awaitScreen(
            seen ->
                seen.contains("waiting on requests per minute of sim/demo")
                    && known.matcher(seen).find());
    assertThat(screen.lines().filter(line -> line.startsWith("task "))).hasSize(1);
    assertThat(screen)
        .containsPattern("capitals +sim/demo +[█░]+ +\\d+/50 ")
        .containsPattern(known);
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
