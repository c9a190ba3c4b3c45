package dev.weir.log.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

class InspectLogWriterTest {

  /** Kept for the script that shows them to Inspect itself. */
  private static final Path REWRITTEN = Path.of("target", "inspect-rewritten");

  @TempDir Path directory;

  static List<Path> evals() throws IOException {
    return Logs.evals();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static Map<String, JsonNode> members(Path file) throws IOException {
    Map<String, JsonNode> members = new LinkedHashMap<>();
    try (var zip = new ZipReader(file, Source.of(file))) {
      ZipDirectory walk = zip.directory();
      for (ZipMember member = walk.next(); member != null; member = walk.next()) {
        members.put(member.name(), InspectJson.MAPPER.readTree(zip.read(member)));
      }
    }
    return members;
  }

  private static String member(Path file, String name) throws IOException {
    try (var zip = new ZipReader(file, Source.of(file))) {
      return new String(zip.read(zip.find(name).orElseThrow()), StandardCharsets.UTF_8);
    }
  }

  private static void rewrite(Path from, Path to, boolean isCondensed) throws IOException {
    try (InspectLog log = InspectLog.open(from);
        InspectLogWriter writer = InspectLogWriter.create(to)) {
      String start = member(from, EvalFile.START);
      writer.start(out -> out.write(start));
      for (InspectSample sample : Logs.all(log.samples())) {
        byte[] json = isCondensed ? Condensing.condense(sample.resolved().json()) : sample.json();
        writer.sample(sample.id(), sample.epoch(), json);
      }
      for (InspectSample summary : Logs.all(log.summaries())) {
        writer.summary(summary.json());
      }
      Optional<String> reductions = log.reductionsJson();
      if (reductions.isPresent()) {
        writer.reductions(out -> out.write(reductions.get()));
      }
      if (log.header().status().equals("started")) {
        writer.finishStarted();
      } else {
        String header = log.headerJson();
        writer.finish(out -> out.write(header));
      }
    }
  }

  @Test
  void noNameOfAMemberEndsEarly() throws IOException {
    Path file = directory.resolve("nul.eval");
    SampleId id = SampleId.of("nul\0x");
    try (InspectLogWriter writer = InspectLogWriter.create(file)) {
      writer.start(out -> out.write("{}"));
      writer.sample(id, 1, bytes("{\"id\":\"nul\\u0000x\",\"epoch\":1}"));
      writer.finishStarted();
    }
    assertThat(members(file)).containsKey("samples/nul\u2400x_epoch_1.json");
  }

  @ParameterizedTest
  @MethodSource("evals")
  void realLogsAreTheSameWhenWrittenAgain(Path log) throws IOException {
    Files.createDirectories(REWRITTEN);
    Path again = REWRITTEN.resolve(log.getFileName());
    rewrite(log, again, false);
    Map<String, JsonNode> found = members(again);
    Map<String, JsonNode> expected = members(log);
    List<JsonNode> journal = journal(expected);
    boolean hasEnded = expected.containsKey(EvalFile.HEADER);
    assertThat(journal(found).equals(hasEnded ? List.of() : journal)).isTrue();
    assertThat(found.keySet()).isEqualTo(expected.keySet());
    found.forEach((name, json) -> assertThat(json.equals(expected.get(name))).as(name).isTrue());
    assertThat(members(again).keySet()).first().isEqualTo(EvalFile.START);
  }

  /** Takes the summaries of the journal out: it is needed only where a run has not ended. */
  private static List<JsonNode> journal(Map<String, JsonNode> members) {
    List<JsonNode> summaries =
        members.entrySet().stream()
            .filter(member -> member.getKey().startsWith("_journal/summaries/"))
            .flatMap(member -> member.getValue().valueStream())
            .toList();
    members.keySet().removeIf(name -> name.startsWith("_journal/summaries/"));
    return summaries;
  }

  @ParameterizedTest
  @MethodSource("evals")
  void realLogsMeanTheSameWhenCondensedAnew(Path log) throws IOException {
    Files.createDirectories(REWRITTEN);
    Path again = REWRITTEN.resolve("condensed-" + log.getFileName());
    rewrite(log, again, true);
    try (InspectLog before = InspectLog.open(log);
        InspectLog after = InspectLog.open(again)) {
      List<InspectSample> expected = Logs.all(before.samples());
      List<InspectSample> found = Logs.all(after.samples());
      assertThat(found).hasSameSizeAs(expected);
      for (int i = 0; i < found.size(); i++) {
        JsonNode whole = InspectJson.MAPPER.readTree(expected.get(i).resolved().json());
        JsonNode resolved = InspectJson.MAPPER.readTree(found.get(i).resolved().json());
        assertThat(resolved.equals(whole)).as(found.get(i).toString()).isTrue();
      }
    }
  }

  @Test
  void nothingIsLeftOfALogThatIsNotFinished() throws IOException {
    Path file = directory.resolve("a.eval");
    try (var writer = InspectLogWriter.create(file)) {
      writer.start(out -> out.write("{}"));
      writer.summary(bytes("{}"));
    }
    try (Stream<Path> left = Files.list(directory)) {
      assertThat(left).isEmpty();
    }
  }

  @Test
  void aMemberThatBreaksOffEndsTheWriting() throws IOException {
    Path file = directory.resolve("a.eval");
    try (var writer = InspectLogWriter.create(file)) {
      writer.start(out -> out.write("{}"));
      assertThatThrownBy(
              () ->
                  writer.sample(
                      SampleId.of(1),
                      1,
                      out -> {
                        out.write("{");
                        throw new IOException("no more");
                      }))
          .hasMessage("no more");
      assertThatThrownBy(() -> writer.finish(out -> out.write("{}")))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("cannot go on");
    }
    assertThat(file).doesNotExist();
  }

  @Test
  void theOrderIsKept() throws IOException {
    try (var writer = InspectLogWriter.create(directory.resolve("a.eval"))) {
      assertThatThrownBy(() -> writer.summary(bytes("{}")))
          .isInstanceOf(IllegalStateException.class);
      writer.start(out -> out.write("{}"));
      assertThatThrownBy(() -> writer.start(out -> out.write("{}")))
          .isInstanceOf(IllegalStateException.class);
      writer.finish(out -> out.write("{}"));
      assertThatThrownBy(() -> writer.summary(bytes("{}")))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("is finished");
    }
    assertThat(member(directory.resolve("a.eval"), EvalFile.SUMMARIES)).isEqualTo("[]");
  }

  @Test
  void aLogMayReplaceAnother() throws IOException {
    Path file = directory.resolve("a.eval");
    for (String id : List.of("first", "second")) {
      try (var writer = InspectLogWriter.create(file)) {
        writer.start(out -> out.write("{}"));
        writer.sample(SampleId.of(id), 1, out -> out.write("\"\ud800\""));
        writer.finish(out -> out.write("{}"));
      }
    }
    assertThat(members(file).keySet()).contains("samples/second_epoch_1.json").hasSize(4);
    assertThat(member(file, "samples/second_epoch_1.json")).isEqualTo("\"\\ud800\"");
  }

  /**
   * What the writer needs does not grow: what remains after 10 times as many samples is as much.
   */
  @Test
  void memoryDoesNotGrowWithTheSamples() throws IOException {
    Path file = directory.resolve("large.eval");
    byte[] sample = bytes("{\"id\":1,\"epoch\":1}");
    try (var writer = InspectLogWriter.create(file)) {
      writer.start(out -> out.write("{}"));
      write(writer, 0, 10_000, sample);
      long before = used();
      write(writer, 10_000, 110_000, sample);
      assertThat(used() - before).isLessThan(1 << 20);
      writer.finish(out -> out.write("{}"));
      assertThat(used() - before).isLessThan(1 << 20);
    }
    try (var zip = new ZipReader(file, Source.of(file));
        InputStream summaries = zip.open(zip.find(EvalFile.SUMMARIES).orElseThrow())) {
      assertThat(zip.members()).isEqualTo(110_003);
      assertThat(summaries.transferTo(java.io.OutputStream.nullOutputStream()))
          .isEqualTo(110_000L * (sample.length + 1) + 1);
    }
  }

  private static void write(InspectLogWriter writer, int from, int to, byte[] sample)
      throws IOException {
    for (int i = from; i < to; i++) {
      writer.sample(SampleId.of(i), 1, sample);
      writer.summary(sample);
    }
  }

  private static long used() {
    Runtime runtime = Runtime.getRuntime();
    System.gc();
    return runtime.totalMemory() - runtime.freeMemory();
  }
}
