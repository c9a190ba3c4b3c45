package dev.weir.eval.dataset;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.Message;
import dev.weir.model.ToolCall;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ContentHashTest {

  @TempDir Path directory;

  private static Sample sample(Map<String, @Nullable Object> metadata, Map<String, String> files) {
    return new Sample(
        "a", "What?", List.of(), List.of("That."), List.of(), metadata, files, Optional.empty());
  }

  private static String hash(Map<String, String> files) {
    return sample(Map.of(), files).contentHash();
  }

  @Test
  void theOrderOfKeysDoesNotCount() {
    Map<String, @Nullable Object> one = new LinkedHashMap<>();
    one.put("x", 1);
    one.put("y", List.of(1, 2));
    Map<String, @Nullable Object> other = new LinkedHashMap<>();
    other.put("y", List.of(1, 2));
    other.put("x", 1);
    assertThat(sample(one, Map.of()).contentHash())
        .isEqualTo(sample(other, Map.of()).contentHash())
        .isNotEqualTo(sample(Map.of("x", 1, "y", List.of(2, 1)), Map.of()).contentHash())
        .hasSize(16);
  }

  /** Logs hold these values: with others, samples that are known would be asked again. */
  @Test
  void theHashOfASampleStaysAsItWas() throws IOException {
    Path file = Files.writeString(directory.resolve("notes.txt"), "some notes");
    Map<String, @Nullable Object> nested = new LinkedHashMap<>();
    nested.put("z", null);
    nested.put("ä", Map.of("inner", List.of(1, 2.5, true, Map.of())));
    nested.put("a", List.of());
    List<Message> messages =
        List.of(
            new Message.Instructions("Be short."),
            Message.user("What is 1 + 1? 😀"),
            new Message.Assistant(
                "Let me see.",
                "",
                List.of(new ToolCall("c1", "add", "{\"a\":1}")),
                Optional.empty()),
            new Message.ToolResult("c1", "add", "2", false));
    assertThat(
            List.of(
                new Sample("a", "What?", "That.").contentHash(),
                new Sample("a", "x".repeat(500), "y".repeat(300)).contentHash(),
                new Sample("a", "x".repeat(2_000), "That.").contentHash(),
                sample(Map.of(), Map.of("in.txt", "text")).contentHash(),
                sample(Map.of("level", 3), Map.of()).contentHash(),
                sample(nested, Map.of("b", "x", "a", Sample.FILE + file)).contentHash(),
                new Sample(
                        "a",
                        "",
                        messages,
                        List.of("2", "two"),
                        List.of("1", "2"),
                        Map.of(),
                        Map.of(),
                        Optional.of("cd /"))
                    .contentHash()))
        .containsExactly(
            "76f42736c0f50463",
            "5a4b34e4eaed9251",
            "6411c875f1303deb",
            "74bc09a5f2de1eab",
            "12357a7583036611",
            "5366ce28bd38df9e",
            "d886dd6f7f4f360f");
  }

  @Test
  void whatAFileHoldsCountsAndNotWhereItLies() throws IOException {
    Path here = Files.writeString(directory.resolve("notes.txt"), "some notes");
    Path elsewhere = Files.createDirectory(directory.resolve("moved")).resolve("notes.txt");
    Files.copy(here, elsewhere);
    String before = hash(Map.of("notes.txt", Sample.FILE + here));
    assertThat(hash(Map.of("notes.txt", Sample.FILE + elsewhere))).isEqualTo(before);
    assertThat(hash(Map.of("other.txt", Sample.FILE + here))).isNotEqualTo(before);

    Files.writeString(here, "same notes");
    // As long as before, and perhaps within the same tick of the clock of the disk.
    Files.setLastModifiedTime(here, FileTime.from(Instant.parse("2026-01-01T00:00:00Z")));
    assertThat(hash(Map.of("notes.txt", Sample.FILE + here))).isNotEqualTo(before);
  }

  @Test
  void aFileThatIsGoneIsNoProblemOfTheHash() {
    assertThat(hash(Map.of("notes.txt", Sample.FILE + directory.resolve("gone")))).hasSize(16);
  }

  /** As docs/log-format.md tells it, with this sample. */
  @Test
  void anybodyCanComputeIt() {
    assertThat(new Sample("any", "2+2?", "4").contentHash()).isEqualTo("cb2aea4fd567680d");
  }
}
