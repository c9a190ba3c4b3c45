package dev.weir.log.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.time.virtual.VirtualTime;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalIndexTest {

  private static final int RECORDS = 5_000;

  @TempDir private Path directory;

  private Path file;

  @BeforeEach
  void name() {
    file = directory.resolve("run.weir");
  }

  private void write(int records, byte[] key) throws Exception {
    var time = VirtualTime.seeded(1);
    time.run(
        () -> {
          try (var journal = Journal.create(file, time, JournalOptions.defaults())) {
            journal.appendLater(1, new byte[0], new byte[10]);
            for (int i = 0; i < records; i++) {
              journal.appendLater(2, key, new byte[10]);
            }
            journal.append(3, new byte[] {42}, new byte[10]);
          }
        });
  }

  private List<Head> heads() throws IOException {
    List<Head> heads = new ArrayList<>();
    try (var channel = FileChannel.open(file)) {
      var span = new RecordScanner.Span(FileHeader.BYTES, channel.size());
      var scanner =
          new RecordScanner(file, channel, span, RecordScanner.Tail.TORN, new DamageLog());
      for (var found = scanner.next(); found != null; found = scanner.next()) {
        heads.add(found.head());
      }
    }
    return heads;
  }

  private List<Head> indexes() throws IOException {
    return heads().stream().filter(Head::isIndex).toList();
  }

  @Test
  void thereIsOneForEachThousandRecordsAndOneAtTheEnd() throws Exception {
    write(RECORDS, new byte[20]);
    assertThat(indexes()).hasSize(6);
    assertThat(indexes().getLast().end()).isEqualTo(Files.size(file));
    assertThat(Row.entries(file).keys()).isEqualTo(Row.scanned(file)).hasSize(RECORDS + 2);
  }

  @Test
  void largeKeysHaveOneForEachMegabyte() throws Exception {
    write(40, new byte[64 << 10]);
    assertThat(indexes()).hasSize(3);
    assertThat(Row.entries(file).keys()).isEqualTo(Row.scanned(file)).hasSize(42);
  }

  @Test
  void theEndIsFoundWithoutReadingTheRest() throws Exception {
    write(RECORDS, new byte[20]);
    byte[] bytes = Files.readAllBytes(file);
    Arrays.fill(bytes, 1_000, (int) indexes().get(4).offset(), (byte) 0);
    Files.write(file, bytes);
    try (var reader = JournalReader.open(file)) {
      assertThat(reader.last(3).orElseThrow().key()).containsExactly(42);
      assertThat(reader.count(2)).isEqualTo(RECORDS);
      assertThat(reader.last(1).orElseThrow().offset()).isEqualTo(16);
      assertThat(reader.last(4)).isEmpty();
      assertThat(reader.count(4)).isZero();
    }
  }

  @Test
  void entriesAreKnownWithoutTheirRecords() throws Exception {
    write(RECORDS, new byte[20]);
    List<Row.Key> keys = Row.entries(file).keys();
    byte[] bytes = Files.readAllBytes(file);
    for (Head head : heads()) {
      if (!head.isIndex()) {
        Arrays.fill(bytes, (int) head.offset(), (int) head.end(), (byte) 0);
      }
    }
    Files.write(file, bytes);
    assertThat(Row.entries(file).keys()).isEqualTo(keys);
    assertThat(Row.entries(file).damage().isEmpty()).isTrue();
  }

  @Test
  void withoutAnyIndexAllIsScanned() throws Exception {
    write(RECORDS, new byte[20]);
    List<Row.Key> keys = Row.entries(file).keys();
    byte[] bytes = Files.readAllBytes(file);
    for (Head index : indexes()) {
      bytes[(int) index.offset() + 30] ^= 1;
    }
    Files.write(file, bytes);
    assertThat(Row.entries(file).keys()).isEqualTo(keys);
    assertThat(Row.entries(file).damage().places()).isEqualTo(6);
    try (var reader = JournalReader.open(file)) {
      assertThat(reader.count(2)).isEqualTo(RECORDS);
    }
  }
}
