package dev.weir.log.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.time.virtual.VirtualTime;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalDamageTest {

  private static final int RECORDS = 8;

  @TempDir private Path directory;

  private Path file;
  private byte[] whole;
  private final List<Row> rows = new ArrayList<>();
  private List<Row.Key> keys;

  @BeforeEach
  void write() throws Exception {
    file = directory.resolve("run.weir");
    var time = VirtualTime.seeded(1);
    time.run(
        () -> {
          var options = JournalOptions.defaults().withIndexEvery(3);
          try (var journal = Journal.create(file, time, options)) {
            for (int i = 0; i < RECORDS; i++) {
              rows.add(Row.of(i * 7));
              rows.getLast().appendTo(journal);
            }
          }
        });
    whole = Files.readAllBytes(file);
    keys = Row.scanned(file);
    assertThat(keys).hasSize(RECORDS);
  }

  @Test
  void cutAtEachByte() throws IOException {
    List<Long> ends = new ArrayList<>(List.of(16L));
    for (int length = 0; length < whole.length; length++) {
      Files.write(file, Arrays.copyOf(whole, length));
      long cut = length;
      int left = (int) keys.stream().filter(key -> key.offset() + key.length() <= cut).count();
      Row.Read read = Row.readAll(file);
      assertThat(read.rows()).isEqualTo(rows.subList(0, left));
      Row.Keys entries = Row.entries(file);
      assertThat(entries.keys()).isEqualTo(keys.subList(0, left));
      checkLookUps(left);
      long known = ends.getLast();
      if (read.damage().isEmpty()) {
        // Cut between two records, indexes among them.
        assertThat(cut).isGreaterThanOrEqualTo(16);
        ends.add(cut);
        assertThat(entries.damage().isEmpty()).isTrue();
      } else {
        long start = length < 16 ? 0 : known;
        assertThat(read.damage().first())
            .containsExactly(new Damage.TornTail(file, start, cut - start));
        assertThat(read.damage().bytes()).isEqualTo(cut - start);
        assertThat(entries.damage()).isEqualTo(read.damage());
      }
    }
    // The beginning, eight records, and two of the three indexes; the first twice.
    assertThat(ends).hasSize(12);
  }

  private void checkLookUps(int left) throws IOException {
    try (var reader = JournalReader.open(file)) {
      for (int type = 1; type <= 3; type++) {
        int wanted = type;
        List<Row.Key> some =
            keys.subList(0, left).stream().filter(key -> key.type() == wanted).toList();
        assertThat(reader.count(type)).isEqualTo(some.size());
        assertThat(reader.last(type).map(Row.Key::of).stream().toList())
            .isEqualTo(some.isEmpty() ? List.of() : List.of(some.getLast()));
      }
    }
  }

  @Test
  void eachBitFlipped() throws IOException {
    for (int bit = 0; bit < 8 * whole.length; bit++) {
      byte[] flipped = whole.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      Files.write(file, flipped);
      Row.Read read = Row.readAll(file);
      assertThat(read.rows())
          .as("one record at most is lost, none is changed, by bit %d", bit)
          .isSubsetOf(rows)
          .hasSizeGreaterThanOrEqualTo(RECORDS - 1)
          .doesNotHaveDuplicates();
      assertThat(read.damage().places()).as("bit %d", bit).isEqualTo(1);
      Damage damage = read.damage().first().getFirst();
      assertThat(damage.offset()).isLessThanOrEqualTo(bit / 8);
      assertThat(damage.offset() + damage.bytes()).isGreaterThan(bit / 8);
      assertThat(Row.entries(file).keys())
          .isSubsetOf(keys)
          .hasSizeGreaterThanOrEqualTo(RECORDS - 1)
          .doesNotHaveDuplicates();
      checkReads();
    }
  }

  /** Each record can be looked up as it was, or is said to be damaged. */
  private void checkReads() throws IOException {
    try (var reader = JournalReader.open(file)) {
      int damaged = 0;
      for (int i = 0; i < RECORDS; i++) {
        try {
          assertThat(Row.of(reader.read(keys.get(i).offset()))).isEqualTo(rows.get(i));
        } catch (JournalFormatException said) {
          damaged++;
          assertThat(said)
              .hasMessageContaining("damaged")
              .hasMessageContaining("expected checksum");
        }
      }
      assertThat(damaged).isLessThanOrEqualTo(1);
      for (int type = 1; type <= 3; type++) {
        try {
          assertThat(reader.last(type).map(Row.Key::of).stream().toList()).isSubsetOf(keys);
        } catch (JournalFormatException said) {
          assertThat(said).hasMessageContaining("damaged");
        }
      }
    }
  }

  @Test
  void damageNamesFileOffsetExpectedAndFound() throws IOException {
    Row.Key second = keys.get(1);
    byte[] flipped = whole.clone();
    flipped[(int) second.offset() + second.length() - 1] ^= 1;
    Files.write(file, flipped);
    Row.Read read = Row.readAll(file);
    List<Row> others = new ArrayList<>(rows);
    others.remove(1);
    assertThat(read.rows()).isEqualTo(others);
    assertThat(read.damage().first()).hasSize(1);
    assertThat(read.damage().first().getFirst().toString())
        .matches(
            "\\Q%s\\E: damaged: the body of a record at byte %d: expected checksum [0-9a-f]{8}, found [0-9a-f]{8}; %d bytes skipped"
                .formatted(file, second.offset(), second.length()));
  }

  @Test
  void aHoleAcrossRecordsIsSkipped() throws IOException {
    byte[] holed = whole.clone();
    Arrays.fill(holed, (int) keys.get(2).offset() + 5, (int) keys.get(5).offset() + 5, (byte) 0);
    Files.write(file, holed);
    assertThat(Row.readAll(file).rows())
        .containsExactly(rows.get(0), rows.get(1), rows.get(6), rows.get(7));
    // The first index is gone; the second, which is whole, knows what was in the hole.
    List<Row.Key> known = new ArrayList<>(keys);
    known.remove(2);
    assertThat(Row.entries(file).keys()).isEqualTo(known);
  }

  @Test
  void aDamagedIndexIsReplacedByAScan() throws IOException {
    int index = new String(whole, StandardCharsets.ISO_8859_1).lastIndexOf("ÿWRþÿÿ");
    for (int at : List.of(index + 6, whole.length - 1)) {
      byte[] flipped = whole.clone();
      flipped[at] ^= 4;
      Files.write(file, flipped);
      Row.Keys entries = Row.entries(file);
      assertThat(entries.keys()).isEqualTo(keys);
      assertThat(entries.damage().places()).isEqualTo(1);
      checkLookUps(RECORDS);
    }
  }

  @Test
  void randomDamageNeverInventsARecord() throws IOException {
    var random = new Random(7);
    for (int round = 0; round < 2_000; round++) {
      byte[] broken = whole.clone();
      for (int places = 1 + random.nextInt(4); places > 0; places--) {
        int at = random.nextInt(broken.length);
        int end = Math.min(broken.length, at + 1 + random.nextInt(80));
        if (random.nextBoolean()) {
          byte[] noise = new byte[end - at];
          random.nextBytes(noise);
          System.arraycopy(noise, 0, broken, at, noise.length);
        } else {
          // As if a block had been written to the wrong place.
          int from = random.nextInt(broken.length - (end - at) + 1);
          System.arraycopy(whole, from, broken, at, end - at);
        }
      }
      Files.write(file, Arrays.copyOf(broken, random.nextInt(broken.length) + 1));
      try {
        assertThat(Row.readAll(file).rows()).isSubsetOf(rows).doesNotHaveDuplicates();
        assertThat(Row.entries(file).keys()).isSubsetOf(keys).doesNotHaveDuplicates();
      } catch (JournalFormatException said) {
        assertThat(said).hasMessageMatching(".* is not a journal of Weir");
      }
    }
  }

  @Test
  void damageIsNamedUpToABoundAndCountedBeyond() throws Exception {
    Path large = directory.resolve("large.weir");
    var time = VirtualTime.seeded(1);
    time.run(
        () -> {
          try (var journal = Journal.create(large, time, JournalOptions.defaults())) {
            for (int i = 0; i < 300; i++) {
              Row.of(i).appendLaterTo(journal);
            }
          }
        });
    byte[] broken = Files.readAllBytes(large);
    for (Row.Key key : Row.scanned(large)) {
      broken[(int) key.offset() + key.length() - 1] ^= 1;
    }
    Files.write(large, broken);
    Row.Read read = Row.readAll(large);
    assertThat(read.rows()).isEmpty();
    assertThat(read.damage().first()).hasSize(100);
    assertThat(read.damage().places()).isEqualTo(300);
  }

  @Test
  void aJournalWithinARecordIsNotMistakenForRecords() throws Exception {
    byte[] noise = new byte[500];
    new Random(3).nextBytes(noise);
    byte[] inner = Arrays.copyOf(noise, noise.length + whole.length);
    System.arraycopy(whole, 0, inner, noise.length, whole.length);
    Path outer = directory.resolve("outer.weir");
    var time = VirtualTime.seeded(1);
    time.run(
        () -> {
          try (var journal = Journal.create(outer, time, JournalOptions.defaults())) {
            journal.append(1, new byte[0], inner);
            Row.of(5).appendTo(journal);
          }
        });
    byte[] broken = Files.readAllBytes(outer);
    // The first head is damaged, so that everything within its body is searched.
    broken[20] ^= 1;
    Files.write(outer, broken);
    assertThat(Row.readAll(outer).rows()).containsExactly(Row.of(5));
  }

  @Test
  void otherFilesAreRefused() throws IOException {
    for (String text : List.of("{\"type\":\"start\"}", "W", "WEIRJRNX and more than the header")) {
      Files.writeString(file, text);
      if (text.equals("W")) {
        assertThat(Row.readAll(file).damage().first())
            .containsExactly(new Damage.TornTail(file, 0, 1));
      } else {
        assertThatExceptionOfType(JournalFormatException.class)
            .isThrownBy(() -> JournalReader.open(file))
            .withMessage(file + " is not a journal of Weir");
      }
    }
  }

  @Test
  void aNewerFormatIsRefused() throws IOException {
    System.arraycopy(FileHeader.bytes(2, 0), 0, whole, 0, FileHeader.BYTES);
    Files.write(file, whole);
    assertThatExceptionOfType(JournalFormatException.class)
        .isThrownBy(() -> JournalReader.open(file))
        .withMessage(
            file
                + " is of format version 2, and this Weir reads up to version 1. Read it with a"
                + " newer Weir");
    System.arraycopy(FileHeader.bytes(1, 4), 0, whole, 0, FileHeader.BYTES);
    Files.write(file, whole);
    assertThatExceptionOfType(JournalFormatException.class)
        .isThrownBy(() -> JournalReader.open(file))
        .withMessageContaining("flags that this Weir does not know: 0004");
  }
}
