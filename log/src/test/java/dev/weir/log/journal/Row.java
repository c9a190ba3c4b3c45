package dev.weir.log.journal;

import dev.weir.time.Time;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.random.RandomGenerator;

/** Records as text, to be compared; and how tests write and read them. */
record Row(int type, String key, String body) {

  static Row of(int type, byte[] key, byte[] body) {
    return new Row(type, text(key), text(body));
  }

  static Row of(int number) {
    return new Row(
        number % 3 + 1, "key-" + number, "body of " + number + " ".repeat(number * 5 % 120));
  }

  /** Any bytes, some of them well compressible, some not, some with markers in them. */
  static Row random(RandomGenerator random) {
    byte[] key = new byte[random.nextInt(random.nextInt(20) == 0 ? 5_000 : 40)];
    byte[] body = new byte[random.nextInt(random.nextInt(20) == 0 ? 300_000 : 400)];
    random.nextBytes(key);
    if (random.nextBoolean()) {
      random.nextBytes(body);
    }
    if (body.length > 60 && random.nextBoolean()) {
      body[17] = (byte) 0xff;
      body[18] = 'W';
      body[19] = 'R';
      body[20] = (byte) 0xfe;
    }
    return of(random.nextInt(Head.MAX_TYPE + 1), key, body);
  }

  byte[] keyBytes() {
    return key.getBytes(StandardCharsets.ISO_8859_1);
  }

  byte[] bodyBytes() {
    return body.getBytes(StandardCharsets.ISO_8859_1);
  }

  long appendTo(Journal journal) throws IOException, InterruptedException {
    return journal.append(type, keyBytes(), bodyBytes());
  }

  void appendAnywayTo(Journal journal) throws IOException {
    journal.appendAnyway(type, keyBytes(), bodyBytes());
  }

  void appendLaterTo(Journal journal) throws IOException, InterruptedException {
    journal.appendLater(type, keyBytes(), bodyBytes());
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  static Row of(JournalRecord record) throws IOException {
    return of(record.type(), record.key(), record.body());
  }

  record Read(List<Row> rows, DamageReport damage) {}

  static Read readAll(Path file) throws IOException {
    try (JournalReader reader = JournalReader.open(file)) {
      Cursor<JournalRecord> cursor = reader.records();
      List<Row> rows = new ArrayList<>();
      for (JournalRecord record = cursor.next(); record != null; record = cursor.next()) {
        rows.add(of(record));
      }
      return new Read(rows, cursor.damage());
    }
  }

  /** An entry as text. */
  record Key(int type, long offset, int length, String key) {

    static Key of(JournalEntry entry) {
      return new Key(
          entry.type(), entry.offset(), entry.length(), HexFormat.of().formatHex(entry.key()));
    }
  }

  record Keys(List<Key> keys, DamageReport damage) {}

  static Keys entries(Path file) throws IOException {
    try (JournalReader reader = JournalReader.open(file)) {
      Cursor<JournalEntry> cursor = reader.entries();
      List<Key> keys = new ArrayList<>();
      for (JournalEntry entry = cursor.next(); entry != null; entry = cursor.next()) {
        keys.add(Key.of(entry));
      }
      return new Keys(keys, cursor.damage());
    }
  }

  /** What the entries should be, found by reading everything. */
  static List<Key> scanned(Path file) throws IOException {
    try (JournalReader reader = JournalReader.open(file)) {
      Cursor<JournalRecord> cursor = reader.records();
      List<Key> keys = new ArrayList<>();
      for (JournalRecord record = cursor.next(); record != null; record = cursor.next()) {
        keys.add(
            Key.of(
                new JournalEntry(record.type(), record.offset(), record.length(), record.key())));
      }
      return keys;
    }
  }

  static Journal on(FaultyFile disk, Path file, Time time, JournalOptions options)
      throws IOException {
    JournalLock lock = JournalLock.take(file);
    try {
      return Journal.begin(file, disk, lock, time, options);
    } catch (IOException failed) {
      lock.close();
      throw failed;
    }
  }
}
