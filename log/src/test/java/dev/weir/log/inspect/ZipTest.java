package dev.weir.log.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ZipTest {

  @TempDir Path directory;

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private Path file() {
    return directory.resolve("a.zip");
  }

  private ZipReader reader() throws IOException {
    return new ZipReader(file(), Source.of(file()));
  }

  private static String content(ZipReader zip, String name) throws IOException {
    return new String(zip.read(zip.find(name).orElseThrow()), StandardCharsets.UTF_8);
  }

  private List<String> left() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(path -> path.getFileName().toString()).toList();
    }
  }

  @Test
  void whatIsWrittenIsRead() throws IOException {
    byte[] noise = new byte[300_000];
    new Random(1).nextBytes(noise);
    try (var zip = new ZipWriter(file())) {
      zip.add("empty", new byte[0]);
      zip.add("ü/1.json", bytes("{}"));
      try (OutputStream out = zip.add("streamed")) {
        out.write(noise);
        out.write('x');
      }
      zip.add("last", bytes("last"));
      zip.finish();
    }
    assertThat(left()).containsExactly("a.zip");
    try (ZipReader zip = reader()) {
      assertThat(zip.members()).isEqualTo(4);
      assertThat(content(zip, "empty")).isEmpty();
      assertThat(content(zip, "ü/1.json")).isEqualTo("{}");
      assertThat(content(zip, "last")).isEqualTo("last");
      assertThat(zip.read(zip.find("streamed").orElseThrow()))
          .hasSize(noise.length + 1)
          .startsWith(noise);
      assertThat(zip.find("absent")).isEmpty();
    }
    // What others make of it.
    try (var zip = new ZipFile(file().toFile())) {
      assertThat(zip.size()).isEqualTo(4);
      for (String name : List.of("empty", "ü/1.json", "streamed", "last")) {
        ZipEntry entry = zip.getEntry(name);
        try (InputStream in = zip.getInputStream(entry)) {
          assertThat(in.readAllBytes()).hasSize((int) entry.getSize());
        }
      }
    }
  }

  @Test
  void sameContentGivesTheSameFile() throws IOException {
    List<byte[]> files = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      try (var zip = new ZipWriter(file())) {
        zip.add("a", bytes("content"));
        zip.finish();
      }
      files.add(Files.readAllBytes(file()));
    }
    assertThat(files.get(0)).isEqualTo(files.get(1));
  }

  @Test
  void whatIsNotFinishedLeavesNothing() throws IOException {
    Files.writeString(file(), "before");
    try (var zip = new ZipWriter(file())) {
      zip.add("a", bytes("content"));
      assertThat(left()).hasSize(3);
    }
    assertThat(left()).containsExactly("a.zip");
    assertThat(file()).hasContent("before");
  }

  @Test
  void readsSizesBehindTheContentAndStoredMembers() throws IOException {
    try (var zip = new ZipOutputStream(Files.newOutputStream(file()))) {
      zip.putNextEntry(new ZipEntry("behind"));
      zip.write(bytes("deflated"));
      zip.closeEntry();
      var stored = new ZipEntry("stored");
      stored.setMethod(ZipEntry.STORED);
      stored.setSize(2);
      var crc = new CRC32();
      crc.update(bytes("ab"));
      stored.setCrc(crc.getValue());
      zip.putNextEntry(stored);
      zip.write(bytes("ab"));
      zip.closeEntry();
      zip.setComment("a comment of this file that ends it");
    }
    try (ZipReader zip = reader()) {
      assertThat(content(zip, "behind")).isEqualTo("deflated");
      assertThat(content(zip, "stored")).isEqualTo("ab");
    }
  }

  @Test
  void theLastOfSeveralWithTheSameNameCounts() throws IOException {
    try (var zip = new ZipWriter(file())) {
      for (int i = 0; i < 3; i++) {
        zip.add("twice", bytes("version " + i));
        zip.add("once" + i, bytes("x"));
      }
      zip.finish();
    }
    try (ZipReader zip = reader()) {
      assertThat(content(zip, "twice")).isEqualTo("version 2");
      var names = new LastOfName(zip, _ -> true);
      List<String> found = new ArrayList<>();
      for (ZipMember member = names.next(); member != null; member = names.next()) {
        found.add(member.name() + "=" + new String(zip.read(member), StandardCharsets.UTF_8));
      }
      assertThat(found).containsExactly("once0=x", "once1=x", "twice=version 2", "once2=x");
    }
  }

  @Test
  void moreMembersThanSmallFieldsCanCount() throws IOException {
    int members = 70_000;
    try (var zip = new ZipWriter(file())) {
      for (int i = 0; i < members; i++) {
        zip.add("samples/" + i + "_epoch_1.json", bytes("{\"id\":" + i + "}"));
      }
      zip.add("header.json", bytes("{}"));
      zip.finish();
    }
    try (ZipReader zip = reader()) {
      assertThat(zip.members()).isEqualTo(members + 1);
      assertThat(content(zip, "samples/0_epoch_1.json")).isEqualTo("{\"id\":0}");
      assertThat(content(zip, "samples/69999_epoch_1.json")).isEqualTo("{\"id\":69999}");
    }
    try (var zip = new ZipFile(file().toFile())) {
      assertThat(zip.size()).isEqualTo(members + 1);
    }
    var counted = new CountedSource(Source.of(file()));
    try (var zip = new ZipReader(file(), counted)) {
      assertThat(content(zip, "header.json")).isEqualTo("{}");
    }
    assertThat(Files.size(file())).isGreaterThan(5_000_000);
    assertThat(counted.bytes()).isLessThan(32 << 10);
  }

  /** The file has a hole of 5 GiB, which takes no room. */
  @Test
  void offsetsBeyondFourGigabytes() throws IOException {
    long gap = 5L << 30;
    try (var zip = new ZipWriter(file(), PartialFile.at(directory.resolve("sparse"), gap))) {
      zip.add("first", bytes("one"));
      try (OutputStream out = zip.add("streamed")) {
        out.write(bytes("two"));
      }
      zip.finish();
    }
    assertThat(Files.size(file())).isGreaterThan(gap);
    var counted = new CountedSource(Source.of(file()));
    try (var zip = new ZipReader(file(), counted)) {
      assertThat(zip.find("first").orElseThrow().at()).isEqualTo(gap);
      assertThat(content(zip, "first")).isEqualTo("one");
      assertThat(content(zip, "streamed")).isEqualTo("two");
    }
    assertThat(counted.bytes()).isLessThan(32 << 10);
    try (var zip = new ZipFile(file().toFile());
        InputStream in = zip.getInputStream(zip.getEntry("streamed"))) {
      assertThat(in.readAllBytes()).isEqualTo(bytes("two"));
    }
  }

  @Test
  void aFlippedBitInTheContentIsFound() throws IOException {
    try (var zip = new ZipWriter(file())) {
      zip.add("a", bytes("some content that is long enough to be worth it"));
      zip.finish();
    }
    byte[] whole = Files.readAllBytes(file());
    whole[40] ^= 4;
    Files.write(file(), whole);
    try (ZipReader zip = reader()) {
      assertThatThrownBy(() -> content(zip, "a"))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(file().toString())
          .hasMessageContaining("a at offset 0 is damaged");
    }
  }

  /** Its content is whole, but it is not that of this member. */
  @Test
  void aDirectoryThatLeadsToAnotherMemberIsFound() throws IOException {
    try (var zip = new ZipWriter(file())) {
      zip.add("samples/1.json", bytes("{}"));
      zip.add("samples/2.json", bytes("{}"));
      zip.finish();
    }
    byte[] whole = Files.readAllBytes(file());
    String text = new String(whole, StandardCharsets.ISO_8859_1);
    // Both entries of the directory say that their member begins the file.
    int second = text.lastIndexOf("PK\1\2");
    Arrays.fill(whole, second + 42, second + 46, (byte) 0);
    Files.write(file(), whole);
    try (ZipReader zip = reader()) {
      assertThat(content(zip, "samples/1.json")).isEqualTo("{}");
      assertThatThrownBy(() -> content(zip, "samples/2.json"))
          .isInstanceOf(DamagedException.class)
          .hasMessageContaining("damaged at offset 0")
          .hasMessageContaining(
              "expected the local header of samples/2.json, found that of samples/1.json");
    }
  }

  /** A member of a few kilobytes that claims, or turns out, to be more than is ever read. */
  @Test
  void contentThatIsTooLargeIsRefused() throws IOException {
    try (var zip = new ZipWriter(file())) {
      zip.add("bomb", new byte[1 << 20]);
      zip.finish();
    }
    byte[] whole = Files.readAllBytes(file());
    ByteBuffer fields = ByteBuffer.wrap(whole).order(ByteOrder.LITTLE_ENDIAN);
    int entry = fields.getInt(whole.length - ZipEnd.SIZE + 16);
    fields.putInt(entry + 24, 1000);
    Files.write(file(), whole);
    try (ZipReader zip = reader()) {
      assertThatThrownBy(() -> content(zip, "bomb"))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("1000 bytes with checksum ");
    }
    fields.putInt(entry + 24, 0xf0000000);
    Files.write(file(), whole);
    try (ZipReader zip = reader()) {
      assertThatThrownBy(() -> content(zip, "bomb"))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("bomb has 4026531840 bytes when inflated; at most 1073741824");
    }
  }

  /** As other readers of zip files do. */
  @Test
  void whatIsAppendedIsPassedOverAndTold() throws IOException {
    byte[] whole = Files.readAllBytes(Logs.file("log_formats.eval"));
    for (int more : new int[] {1, 100, 70_000}) {
      byte[] longer = Arrays.copyOf(whole, whole.length + more);
      Files.write(file(), longer);
      try (var log = InspectLog.open(file())) {
        assertThat(log.header().status()).isEqualTo("success");
        assertThat(log.damage())
            .singleElement()
            .asString()
            .contains("expected 0 bytes after the end record of the zip file, found " + more);
      }
    }
    Files.write(file(), Arrays.copyOf(whole, whole.length + 200_000));
    assertThatThrownBy(this::reader).hasMessageContaining("has no end record");
  }

  @Test
  void whatIsNoZipFileIsRefused() throws IOException {
    Files.writeString(file(), "This is text. ".repeat(10_000));
    assertThatThrownBy(this::reader)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("has no end record of a zip file");
    Files.writeString(file(), "");
    assertThatThrownBy(this::reader).isInstanceOf(IOException.class);
  }

  @Test
  void aNameThatIsTooLongIsRefused() throws IOException {
    try (var zip = new ZipWriter(file())) {
      assertThatThrownBy(() -> zip.add("x".repeat(70_000), new byte[0]))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("a zip file allows 65535");
    }
  }

  @Test
  void halfCharactersBecomeEscapesAndTheRestIsUtf8() throws IOException {
    var out = new ByteArrayOutputStream();
    try (var writer = new Utf8Writer(out)) {
      writer.write("aü€😀");
      writer.write('\ud83d');
      writer.write('\ude00');
      writer.write("\ud800x\udc00\ud801");
    }
    assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("aü€😀😀\\ud800x\\udc00\\ud801");
    var longText = new ByteArrayOutputStream();
    String text = "ä€😀x".repeat(10_000);
    try (var writer = new Utf8Writer(longText)) {
      writer.write(text);
    }
    assertThat(longText.toString(StandardCharsets.UTF_8)).isEqualTo(text);
  }
}
