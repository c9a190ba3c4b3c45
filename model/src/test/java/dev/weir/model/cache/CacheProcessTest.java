package dev.weir.model.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One directory and several real processes, some of which are killed. */
@Timeout(300)
class CacheProcessTest {

  private static final long PLENTY = 1L << 30;

  @TempDir Path directory;

  private Process writer(int count, int step, long maxBytes) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-cp",
            System.getProperty("java.class.path"),
            CacheWriter.class.getName(),
            directory.toString(),
            String.valueOf(count),
            String.valueOf(step),
            String.valueOf(maxBytes))
        .redirectErrorStream(true)
        .start();
  }

  private List<Path> files(String ending) throws IOException {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> parts = Files.newDirectoryStream(directory)) {
      for (Path part : parts) {
        if (Files.isDirectory(part)) {
          // Names alone: a writer renames what is looked at.
          try (DirectoryStream<Path> names = Files.newDirectoryStream(part, "*" + ending)) {
            names.forEach(found::add);
          }
        } else if (part.toString().endsWith(ending)) {
          found.add(part);
        }
      }
    }
    return found;
  }

  @Test
  void aKilledWriterLeavesOnlyWholeEntries() throws Exception {
    var random = new SplittableRandom(7);
    long largest = 0;
    for (int round = 1; round <= 3; round++) {
      // More than any machine writes before it is killed.
      Process process = writer(10_000_000, 1, PLENTY);
      try (BufferedReader said = process.inputReader()) {
        assertThat(said.readLine()).isEqualTo("ready");
        long wanted = largest + 50 + random.nextInt(100);
        while (files(".entry").size() < wanted) {
          assertThat(process.isAlive()).isTrue();
        }
        process.destroyForcibly();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      } finally {
        process.destroyForcibly();
      }
      List<Path> entries = files(".entry");
      assertThat(entries).as("of all rounds").hasSizeGreaterThan((int) largest);
      largest = entries.size();
      for (Path entry : entries) {
        assertThat(EntryFile.read(entry)).as("%s in round %s", entry, round).isPresent();
      }
    }
    var files = new CacheDirectory(directory);
    for (int i = 0; i < largest; i++) {
      assertThat(files.find(CacheWriter.key(i)).orElseThrow().text())
          .isEqualTo(CacheWriter.text(i));
    }
    assertThat(files(".part")).as("at most one for each that was killed").hasSizeLessThan(4);
    files.clear();
    assertThat(files(".part")).isEmpty();
  }

  @Test
  void twoProcessesFillOneCache() throws Exception {
    int count = 1_000;
    List<Process> processes = new ArrayList<>();
    try {
      processes.add(writer(count, 1, PLENTY));
      // The same entries from the other end, so that they meet.
      processes.add(writer(count, -1, PLENTY));
      for (Process process : processes) {
        assertEndsWell(process);
      }
    } finally {
      processes.forEach(Process::destroyForcibly);
    }
    var files = new CacheDirectory(directory);
    for (int i = 0; i < count; i++) {
      assertThat(files.find(CacheWriter.key(i)).orElseThrow().text())
          .isEqualTo(CacheWriter.text(i));
    }
    assertThat(files(".part")).isEmpty();
    assertThat(files(".entry")).hasSize(count);
  }

  @Test
  void twoProcessesThatEvictEachOthersEntriesStayWithinTheBound() throws Exception {
    long maxBytes = 2 << 20;
    List<Process> processes = new ArrayList<>();
    try {
      processes.add(writer(600, 1, maxBytes));
      processes.add(writer(600, 7, maxBytes));
      for (Process process : processes) {
        assertEndsWell(process);
      }
    } finally {
      processes.forEach(Process::destroyForcibly);
    }
    long bytes =
        new CacheDirectory(directory)
            .list().stream().mapToLong(CacheDirectory.ModelEntries::bytes).sum();
    // Each may be a twentieth and one entry behind.
    assertThat(bytes).isBetween(maxBytes / 2, maxBytes + 2 * (maxBytes / 20 + (40 << 10)));
  }

  private static void assertEndsWell(Process process) throws Exception {
    try (BufferedReader said = process.inputReader()) {
      assertThat(said.lines().toList()).containsExactly("ready", "done");
    }
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isZero();
  }
}
