package dev.weir.eval.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.time.Time;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** With real programs. */
@Timeout(60)
class DialogueTest {

  private static final Time TIME = Time.system();

  @TempDir Path directory;

  private Dialogue shell(String script) {
    return Dialogue.start(List.of("sh", "-c", script), Map.of("GIVEN", "x"), directory, TIME);
  }

  private static String line(Dialogue dialogue) throws InterruptedException {
    Optional<String> line = dialogue.next();
    while (line.isEmpty()) {
      assertThat(dialogue.isOver()).isFalse();
      TIME.sleep(Duration.ofMillis(1));
      line = dialogue.next();
    }
    return line.get();
  }

  private static void awaitEnd(Dialogue dialogue) throws InterruptedException {
    while (!dialogue.isOver()) {
      assertThat(dialogue.next()).isEmpty();
      TIME.sleep(Duration.ofMillis(1));
    }
  }

  @Test
  void speaksInLines() throws Exception {
    try (Dialogue dialogue = shell("while read -r l; do echo \"$GIVEN: $l\"; echo; done")) {
      dialogue.say("größer", TIME.after(Duration.ofSeconds(30)));
      assertThat(line(dialogue)).isEqualTo("x: größer");
      assertThat(line(dialogue)).isEmpty();
      dialogue.say("b", TIME.after(Duration.ofSeconds(30)));
      assertThat(line(dialogue)).isEqualTo("x: b");
      assertThat(dialogue.exitCode()).isEmpty();
    }
  }

  @Test
  void theEndIsSeenAfterTheLastLine() throws Exception {
    try (Dialogue dialogue = shell("echo last; echo complaint >&2; exit 4")) {
      assertThat(line(dialogue)).isEqualTo("last");
      awaitEnd(dialogue);
      assertThat(dialogue.exitCode()).contains(4);
      assertThat(dialogue.complaints()).isEqualTo("complaint\n");
    }
  }

  @Test
  void aProgramThatDoesNotReadHoldsNobodyUp() throws Exception {
    try (Dialogue dialogue = shell("sleep 1000")) {
      assertThatExceptionOfType(SandboxException.class)
          .isThrownBy(() -> dialogue.say("x".repeat(1_000_000), TIME.after(Duration.ofMillis(100))))
          .withMessageContaining("does not read");
    }
  }

  @Test
  void aProgramThatHasEndedReadsNothing() throws Exception {
    try (Dialogue dialogue = shell("exit 0")) {
      awaitEnd(dialogue);
      assertThatExceptionOfType(SandboxException.class)
          .isThrownBy(() -> dialogue.say("x", TIME.after(Duration.ofSeconds(30))));
    }
  }

  @Test
  void onlyTheLastComplaintsAreKept() throws Exception {
    try (Dialogue dialogue = shell("seq 1 200000 >&2; echo done")) {
      assertThat(line(dialogue)).isEqualTo("done");
      assertThat(dialogue.complaints()).hasSizeLessThan(10_000).endsWith("199999\n200000\n");
    }
  }

  @Test
  void closingEndsAllThatWasStarted() throws Exception {
    // Two that ignore everything: one below the shell, and one whose parent has ended.
    String stubborn = "sh -c 'trap \"\" TERM HUP; echo $$ > %s; while :; do sleep 1; done' & ";
    Dialogue dialogue =
        shell(
            stubborn.formatted("a")
                + "("
                + stubborn.formatted("b")
                + ") ; while [ ! -s a ] || [ ! -s b ]; do sleep 0.01; done; echo ready; sleep"
                + " 1000");
    assertThat(line(dialogue)).isEqualTo("ready");
    dialogue.close();
    dialogue.close();
    for (String file : List.of("a", "b")) {
      long id = Long.parseLong(Files.readString(directory.resolve(file)).strip());
      // Its number may still be there until somebody asks how it ended, but no program.
      assertThat(ProcessHandle.of(id).flatMap(process -> process.info().command()))
          .as(file)
          .isEmpty();
    }
    assertThat(dialogue.exitCode()).isEmpty();
  }

  @Test
  void whatIsNoProgramIsSaid() {
    assertThatExceptionOfType(SandboxException.class)
        .isThrownBy(() -> Dialogue.start(List.of("no-such-program-77"), Map.of(), directory, TIME))
        .withMessageContaining("no-such-program-77");
  }
}
