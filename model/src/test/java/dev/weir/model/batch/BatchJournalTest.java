package dev.weir.model.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.model.ConfigurationException;
import dev.weir.time.Time;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BatchJournalTest {

  private static final Time TIME = Time.system();

  @TempDir Path directory;

  private BatchJournal open() {
    return BatchJournal.open(directory, "task one@openai/gpt", TIME);
  }

  private List<Path> files() throws Exception {
    try (var files = Files.list(directory)) {
      return files.sorted().toList();
    }
  }

  @Test
  void whatWasWrittenIsReadByTheNextRun() throws Exception {
    try (BatchJournal journal = open()) {
      journal.intent("t1", List.of("k1", "k2"));
      journal.sent("t1", "batch_1");
      journal.intent("t2", List.of("k3"));
      journal.release("t1", List.of("k2"));
      journal.intent("t3", List.of("k4"));
      journal.done("t3");
    }
    try (BatchJournal journal = open()) {
      assertThat(journal.find("k1").orElseThrow().id()).contains("batch_1");
      assertThat(journal.find("k1").orElseThrow().submission().customIds())
          .containsExactly("k1", "k2");
      assertThat(journal.find("k2")).isEmpty();
      assertThat(journal.find("k3").orElseThrow().id()).isEmpty();
      assertThat(journal.find("k4")).isEmpty();
      assertThat(journal.ids()).containsExactly("batch_1");
    }
  }

  @Test
  void aTornLineIsCutOffWhereverItWasTorn() throws Exception {
    try (BatchJournal journal = open()) {
      journal.intent("t1", List.of("k1"));
      journal.sent("t1", "batch_1");
    }
    byte[] whole = Files.readAllBytes(files().getFirst());
    byte[] last = JournalFile.line("sent t1 batch_1").getBytes(StandardCharsets.ISO_8859_1);
    for (int cut = 1; cut <= last.length; cut++) {
      Files.write(files().getFirst(), List.of());
      Files.write(files().getFirst(), java.util.Arrays.copyOf(whole, whole.length - cut));
      try (BatchJournal journal = open()) {
        assertThat(journal.find("k1").orElseThrow().id()).as("cut %d", cut).isEmpty();
        journal.sent("t1", "batch_2");
      }
      try (BatchJournal journal = open()) {
        assertThat(journal.find("k1").orElseThrow().id()).contains("batch_2");
      }
    }
  }

  @Test
  void aLineThatWasChangedIsNotBelieved() throws Exception {
    try (BatchJournal journal = open()) {
      journal.intent("t1", List.of("k1"));
      journal.sent("t1", "batch_1");
      journal.intent("t2", List.of("k2"));
    }
    Path file = files().getFirst();
    Files.writeString(file, Files.readString(file).replace("batch_1", "batch_7"));
    try (BatchJournal journal = open()) {
      assertThat(journal.find("k1").orElseThrow().id()).isEmpty();
      assertThat(journal.find("k2")).isPresent();
      assertThat(journal.takeDamages())
          .singleElement()
          .asString()
          .contains("line 2", file.toString());
      assertThat(journal.takeDamages()).as("told once").isEmpty();
    }
  }

  @Test
  void whatMayHaveNamedPaidRequestsIsNotPassedOver() throws Exception {
    try (BatchJournal journal = open()) {
      journal.intent("t1", List.of("k1"));
      journal.sent("t1", "batch_1");
      journal.intent("t2", List.of("k2"));
    }
    Path file = files().getFirst();
    String whole = Files.readString(file);
    for (String damaged : List.of(whole.replace("k1", "k7"), whole + "garbage\n", whole + "\n")) {
      Files.writeString(file, damaged);
      int line = damaged.equals(whole.replace("k1", "k7")) ? 1 : 4;
      for (int i = 0; i < 2; i++) {
        assertThatExceptionOfType(ConfigurationException.class)
            .isThrownBy(this::open)
            .withMessageContaining("line " + line + " of ")
            .withMessageContaining(file.toString())
            .withMessageContaining("move the file away");
      }
    }
    Files.move(file, directory.resolve("away"));
    try (BatchJournal journal = open()) {
      assertThat(journal.find("k1")).isEmpty();
    }
  }

  @Test
  void aRunThatIsAliveKeepsItsJournalToItself() throws Exception {
    try (BatchJournal alive = open()) {
      alive.intent("t1", List.of("k1"));
      try (BatchJournal other = open()) {
        assertThat(other.find("k1")).isEmpty();
        other.intent("t2", List.of("k2"));
      }
    }
    assertThat(files()).hasSize(2);
    // Both have ended: the next run takes over both.
    try (BatchJournal next = open()) {
      assertThat(next.find("k1")).isPresent();
      assertThat(next.find("k2")).isPresent();
    }
    assertThat(files()).hasSize(2);
  }

  @Test
  void runsOfOtherNamesAreApart() throws Exception {
    try (BatchJournal journal = open()) {
      journal.intent("t1", List.of("k1"));
    }
    try (BatchJournal other = BatchJournal.open(directory, "task_one@openai_gpt", TIME)) {
      assertThat(other.find("k1")).isEmpty();
    }
  }

  @Test
  void whatTheRunDidNotUseStays() throws Exception {
    try (BatchJournal killed = open()) {
      killed.intent("t1", List.of("k1", "k3"));
      killed.intent("t2", List.of("k2"));
      killed.intent("t4", List.of("k4", "k5"));
      killed.release("t4", List.of("k5"));
    }
    try (BatchJournal smaller = open()) {
      assertThat(smaller.find("k1")).isPresent();
      assertThat(smaller.find("k4")).isPresent();
      smaller.finish();
    }
    try (BatchJournal journal = open()) {
      assertThat(journal.find("k1")).isEmpty();
      assertThat(journal.knows("t4")).isFalse();
      assertThat(journal.find("k2")).isPresent();
      assertThat(journal.find("k3")).as("of the batch of which k1 was used").isPresent();
      journal.finish();
    }
    assertThat(files().getFirst()).isEmptyFile();
  }

  @Test
  void journalsThatAreOlderThanAnyResultArePruned() throws Exception {
    try (BatchJournal journal = open()) {
      journal.intent("t1", List.of("k1"));
    }
    Files.setLastModifiedTime(
        files().getFirst(), FileTime.from(TIME.instant().minus(Duration.ofDays(32))));
    BatchJournal.open(directory, "another", TIME).close();
    assertThat(files()).hasSize(1);
    assertThat(files().getFirst().getFileName().toString()).startsWith("another");
  }

  @Test
  void aBatchThatIsOlderThanAnyResultIsForgotten() throws Exception {
    long old = TIME.instant().minus(Duration.ofDays(32)).toEpochMilli();
    try (BatchJournal journal = open()) {
      journal.intent("t2", List.of("k2"));
    }
    Files.writeString(
        files().getFirst(),
        JournalFile.line("intent t1 " + old + " k1"),
        StandardOpenOption.APPEND);
    try (BatchJournal journal = open()) {
      assertThat(journal.find("k1")).isEmpty();
      assertThat(journal.find("k2")).isPresent();
    }
  }

  @Test
  void aDirectoryThatCannotBeIsNamed() throws Exception {
    Path file = Files.writeString(directory.resolve("file"), "");
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> BatchJournal.open(file.resolve("batches"), "run", TIME))
        .withMessageContaining(file.toString());
  }

  @Test
  void requestsDifferInAllThatShapesTheAnswer() {
    var key = dev.weir.limits.LimitKey.of("openai", "account", "gpt");
    byte[] body = {1, 2};
    String name = ContentKey.of(key, "http://x", body, 0);
    assertThat(name).matches("[0-9a-f]{64}").isEqualTo(ContentKey.of(key, "http://x", body, 0));
    assertThat(
            List.of(
                ContentKey.of(key, "http://y", body, 0),
                ContentKey.of(key, "http://x", new byte[] {1, 3}, 0),
                ContentKey.of(key, "http://x", body, 1),
                ContentKey.of(
                    dev.weir.limits.LimitKey.of("openai", "account", "4"), "http://x", body, 0),
                ContentKey.numbered(name, 0),
                ContentKey.numbered(name, 1)))
        .doesNotHaveDuplicates()
        .doesNotContain(name);
    // A run goes on under a new credential.
    assertThat(
            ContentKey.of(
                dev.weir.limits.LimitKey.of("openai", "other", "gpt"), "http://x", body, 0))
        .isEqualTo(name);
    assertThat(Optional.of(ContentKey.numbered(name, 1))).get().asString().hasSize(40);
  }
}
