package dev.weir.log;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import dev.weir.log.journal.JournalListener;
import dev.weir.time.Time;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Logs of which a part is damaged: the rest is read, and it is told. */
class DamagedLogTest {

  private static final String SECOND = "samples/a_epoch_2.json";

  @TempDir Path directory;

  private Path eval = Path.of("");

  @BeforeEach
  void write() throws IOException {
    try (var log = begin(LogFixtures.start("capitals"))) {
      for (int epoch = 1; epoch <= 3; epoch++) {
        log.append(LogFixtures.sample("question", epoch));
      }
      log.end(LogFixtures.result(LogFixtures.start("capitals")));
      eval = log.finish(LogFixtures.NOTHING_LOST);
    }
  }

  private RunLog begin(RunStart start) throws IOException {
    return RunLog.begin(Time.system(), directory, start, JournalListener.NONE);
  }

  /** Flips a bit in the middle of a member. */
  private void damage(String member) throws IOException {
    byte[] bytes = Files.readAllBytes(eval);
    String text = new String(bytes, ISO_8859_1);
    int from = text.indexOf(member) + member.length();
    int next = text.indexOf("PK\3\4", from);
    bytes[(from + (next < 0 ? text.indexOf("PK\1\2") : next)) / 2] ^= 4;
    Files.write(eval, bytes);
  }

  private static List<Integer> epochs(RunLogReader log) throws IOException {
    List<Integer> epochs = new ArrayList<>();
    for (Optional<SampleResult> next = log.sample(); next.isPresent(); next = log.sample()) {
      assertThat(next.get()).isEqualTo(LogFixtures.sample("question", next.get().epoch()));
      epochs.add(next.get().epoch());
    }
    return epochs;
  }

  @Test
  void aDamagedSampleIsSkippedAndTold() throws IOException {
    damage(SECOND);
    try (var log = RunLogReader.open(eval)) {
      assertThat(epochs(log)).containsExactly(1, 3);
      assertThat(log.damage())
          .singleElement()
          .asString()
          .contains(eval.toString(), SECOND, "is damaged", "checksum", "expected");
      assertThat(log.end()).isPresent();
    }
  }

  @Test
  void aCopyHasAllButTheDamagedSample() throws IOException {
    damage(SECOND);
    Path copy = directory.resolve("copy.eval");
    assertThat(LogFiles.toEval(eval, copy)).singleElement().asString().contains(SECOND);
    try (var log = RunLogReader.open(copy)) {
      assertThat(log.summaries()).extracting(SampleSummary::epoch).containsExactly(1, 3);
      assertThat(epochs(log)).containsExactly(1, 3);
      assertThat(log.damage()).isEmpty();
    }
  }

  /** The directory names a member otherwise: nobody finds the sample, but it was there. */
  @Test
  void aSampleWhoseNameIsDamagedIsTold() throws IOException {
    rename(SECOND, "semples/a_epoch_2.json");
    isToldAndLeftOut();
  }

  @Test
  void aSampleWhoseNameBecameThatOfAnotherIsTold() throws IOException {
    rename("samples/a_epoch_3.json", SECOND);
    try (var log = RunLogReader.open(eval)) {
      assertThat(epochs(log)).containsExactly(1, 3);
      assertThatIOException()
          .as("whoever asks for one does not get another")
          .isThrownBy(() -> log.sample("a", 2))
          .withMessageContaining("found that of samples/a_epoch_3.json");
    }
    isToldAndLeftOut();
  }

  private void isToldAndLeftOut() throws IOException {
    var csv = new StringWriter();
    assertThat(LogExport.csv(List.of(eval), csv))
        .singleElement()
        .asString()
        .contains(eval.toString(), SECOND, "no member has it");
    Path copy = directory.resolve("copy.eval");
    assertThat(LogFiles.toEval(eval, copy)).singleElement().asString().contains(SECOND);
    try (var log = RunLogReader.open(copy)) {
      assertThat(log.summaries()).extracting(SampleSummary::epoch).containsExactly(1, 3);
      assertThat(epochs(log)).containsExactly(1, 3);
      assertThat(log.damage()).isEmpty();
    }
  }

  /** In the directory only. */
  private void rename(String member, String damaged) throws IOException {
    byte[] bytes = Files.readAllBytes(eval);
    int at = new String(bytes, ISO_8859_1).lastIndexOf(member);
    byte[] name = damaged.getBytes(ISO_8859_1);
    System.arraycopy(name, 0, bytes, at, name.length);
    Files.write(eval, bytes);
  }

  @Test
  void dumpsAndExportsHaveAllButTheDamagedSample() throws IOException {
    damage(SECOND);
    var json = new StringWriter();
    assertThat(EvalLogJson.write(eval, json, false, true))
        .singleElement()
        .asString()
        .contains(SECOND);
    assertThat(LogJson.LINES.readTree(json.toString()).path("samples")).hasSize(2);
    var csv = new StringWriter();
    assertThat(LogExport.csv(List.of(eval), csv)).singleElement().asString().contains(SECOND);
    assertThat(csv.toString().lines()).hasSize(3);
  }

  @Test
  void aDamagedListOfSamplesIsMadeAnew() throws IOException {
    List<SampleSummary> before;
    try (var log = RunLogReader.open(eval)) {
      before = log.summaries();
    }
    damage("summaries.json");
    Path copy = directory.resolve("copy.eval");
    LogFiles.toEval(eval, copy);
    for (Path file : List.of(eval, copy)) {
      try (var log = RunLogReader.open(file)) {
        assertThat(log.summaries()).isEqualTo(before);
        assertThat(log.errors(10)).isEmpty();
        assertThat(log.damage()).hasSize(file.equals(eval) ? 1 : 0);
      }
    }
  }

  @Test
  void aWholeListOfSamplesIsBelievedWhateverBecameOfTheSamples() throws IOException {
    damage(SECOND);
    try (var log = RunLogReader.open(eval)) {
      assertThat(log.summaries()).extracting(SampleSummary::epoch).containsExactly(1, 2, 3);
      assertThat(log.damage()).isEmpty();
    }
  }

  @Test
  void withoutItsHeaderALogTellsHowTheRunBegan() throws IOException {
    damage("header.json");
    try (var log = RunLogReader.open(eval)) {
      assertThat(log.start().task()).isEqualTo("capitals");
      assertThat(log.end()).isEmpty();
      assertThat(epochs(log)).containsExactly(1, 2, 3);
      assertThat(log.damage()).singleElement().asString().contains("header.json");
    }
  }

  /** A retry that was killed before it had copied anything, of a log with a damaged sample. */
  @Test
  void aLogThatGoesOnWithADamagedOneHasTheRest() throws IOException {
    damage(SECOND);
    Path journal = goingOn(eval.toString());
    assertThat(LogFiles.held(journal)).isEqualTo(new LogFiles.Held(1, 3));
    LogRecovery.Recovered recovered = LogRecovery.recover(journal, true);
    assertThat(recovered.told()).contains("recovered 3 of 12", SECOND);
    try (var log = RunLogReader.open(recovered.log().orElseThrow())) {
      assertThat(epochs(log)).containsExactly(4, 1, 3);
    }
  }

  @Test
  void aLogThatGoesOnWithOneThatCannotBeReadHasWhatIsItsOwn() throws IOException {
    Files.write(eval, new byte[] {'P', 'K', 3, 4});
    Path journal = goingOn(eval.toString());
    LogRecovery.Recovered recovered = LogRecovery.recover(journal, true);
    assertThat(recovered.told()).contains("recovered 1 of 12", "cannot be read", "run again");
  }

  private Path goingOn(String earlier) throws IOException {
    RunStart start = LogFixtures.start("capitals");
    var retry =
        new RunStart(
            "k4",
            start.taskId(),
            start.task(),
            start.origin(),
            start.dataset(),
            start.solvers(),
            start.model(),
            start.roles(),
            4,
            start.seed(),
            start.concurrencyMode(),
            start.maxConnections(),
            start.scorers(),
            start.config(),
            start.tags(),
            start.metadata(),
            start.started(),
            Optional.of(earlier));
    try (var log = begin(retry)) {
      log.append(LogFixtures.sample("question", 4));
      return log.file();
    }
  }
}
