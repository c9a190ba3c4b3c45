package dev.weir.log.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.time.virtual.VirtualTime;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The bytes in docs/log-format.md are the bytes that are written. */
class LogFormatDocumentTest {

  @TempDir private Path directory;

  @Test
  void theExampleIsWhatIsWritten() throws Exception {
    Path file = directory.resolve("example.weir");
    var time = VirtualTime.seeded(1);
    time.run(
        () -> {
          try (var journal = Journal.create(file, time, JournalOptions.defaults())) {
            journal.append(2, bytes("k1"), bytes("{\"answer\":\"Paris\"}"));
          }
        });
    Path document = Path.of(System.getProperty("weir.root"), "docs", "log-format.md");
    assertThat(Files.readString(document)).contains(dump(Files.readAllBytes(file)));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** As {@code hexdump -C} prints it. */
  private static String dump(byte[] bytes) {
    var dump = new StringBuilder();
    for (int line = 0; line < bytes.length; line += 16) {
      var hex = new StringBuilder();
      var text = new StringBuilder();
      for (int at = line; at < Math.min(line + 16, bytes.length); at++) {
        hex.append(at % 16 == 8 ? "  " : " ").append(String.format(Locale.ROOT, "%02x", bytes[at]));
        text.append(bytes[at] >= ' ' && bytes[at] < 127 ? (char) bytes[at] : '.');
      }
      dump.append(String.format(Locale.ROOT, "%08x %-49s  |%s|\n", line, hex, text));
    }
    return dump.append(String.format(Locale.ROOT, "%08x\n", bytes.length)).toString();
  }
}
