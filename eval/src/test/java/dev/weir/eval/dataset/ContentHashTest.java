package dev.weir.eval.dataset;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ContentHashTest {

  @TempDir Path directory;

  private static Sample sample(Map<String, Object> metadata, Map<String, String> files) {
    return new Sample(
        "a", "What?", List.of(), List.of("That."), List.of(), metadata, files, Optional.empty());
  }

  private static String hash(Map<String, String> files) {
    return sample(Map.of(), files).contentHash();
  }

  @Test
  void theOrderOfKeysDoesNotCount() {
    Map<String, Object> one = new LinkedHashMap<>();
    one.put("x", 1);
    one.put("y", List.of(1, 2));
    Map<String, Object> other = new LinkedHashMap<>();
    other.put("y", List.of(1, 2));
    other.put("x", 1);
    assertThat(sample(one, Map.of()).contentHash())
        .isEqualTo(sample(other, Map.of()).contentHash())
        .isNotEqualTo(sample(Map.of("x", 1, "y", List.of(2, 1)), Map.of()).contentHash())
        .hasSize(16);
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
}
