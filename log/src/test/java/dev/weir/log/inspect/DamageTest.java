package dev.weir.log.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A damaged log gives what it holds or an {@link IOException}, never anything else. */
class DamageTest {

  private static final Path NAME = Path.of("damaged.eval");

  @TempDir Path directory;

  private static final class Bytes implements Source {

    private final byte[] content;

    Bytes(byte[] content) {
      this.content = content;
    }

    @Override
    public long size() {
      return content.length;
    }

    @Override
    public int read(ByteBuffer into, long at) {
      if (at >= content.length) {
        return -1;
      }
      int count = (int) Math.min(into.remaining(), content.length - at);
      into.put(content, (int) at, count);
      return count;
    }

    @Override
    public void close() {}
  }

  /** Everything there is to read. */
  private static Set<String> read(byte[] content) throws IOException {
    Set<String> found = new HashSet<>();
    try (InspectLog log = InspectLog.open(NAME, new Bytes(content))) {
      found.add(log.headerJson());
      Logs.all(log.samples()).forEach(sample -> found.add(sample.text()));
      Logs.all(log.summaries()).forEach(summary -> found.add("summary " + summary.text()));
      log.reductionsJson().ifPresent(found::add);
    }
    return found;
  }

  /** What remains is true, or an exception tells what is wrong. */
  private static boolean isReadable(byte[] content, Set<String> whole, String what) {
    try {
      assertThat(whole).as(what).containsAll(read(content));
      return true;
    } catch (IOException told) {
      assertThat(told.getMessage()).as(what).contains(NAME.toString());
      return false;
    } catch (RuntimeException | Error wrong) {
      return fail(what, wrong);
    }
  }

  private static byte[] small(String name) throws IOException {
    return Files.readAllBytes(Logs.file(name));
  }

  @ParameterizedTest
  @ValueSource(strings = {"log_formats.eval", "errors.eval"})
  void truncationAtAnyOffset(String name) throws IOException {
    byte[] content = small(name);
    Set<String> whole = read(content);
    for (int length = 0; length < content.length; length++) {
      byte[] cut = Arrays.copyOf(content, length);
      assertThat(isReadable(cut, whole, "cut to " + length)).as("cut to " + length).isFalse();
    }
  }

  @Test
  void anySingleBitOfTheDirectory() throws IOException {
    byte[] content = small("log_formats.eval");
    Set<String> whole = read(content);
    ZipEnd end = ZipEnd.find(NAME, new Bytes(content));
    for (int at = (int) end.from(); at < content.length; at++) {
      for (int bit = 0; bit < 8; bit++) {
        byte[] flipped = content.clone();
        flipped[at] ^= (byte) (1 << bit);
        // A name may become another name, so that its member is missed or is a sample elsewhere.
        checkFlipped(flipped, whole, "bit " + bit + " at " + at);
      }
    }
  }

  @Test
  void bitsOfTheContent() throws IOException {
    for (String name : new String[] {"log_formats.eval", "errors.eval", "started.eval"}) {
      byte[] content = small(name);
      Set<String> whole = read(content);
      var random = new Random(7);
      for (int i = 0; i < 1_500; i++) {
        byte[] flipped = content.clone();
        int at = random.nextInt(content.length);
        flipped[at] ^= (byte) (1 << random.nextInt(8));
        checkFlipped(flipped, whole, name + " flipped at " + at);
      }
    }
  }

  private static void checkFlipped(byte[] flipped, Set<String> whole, String what) {
    try {
      for (String found : read(flipped)) {
        // A header whose name was hit is missed: then how the run began is all there is.
        if (!found.contains("\"status\":\"started\"")) {
          assertThat(whole.contains(found) || whole.contains("summary " + found)).as(what).isTrue();
        }
      }
    } catch (IOException told) {
      assertThat(told.getMessage()).as(what).contains(NAME.toString());
    } catch (RuntimeException | Error wrong) {
      fail(what, wrong);
    }
  }

  @Test
  void truncationAndBitsOfTheOtherForm() throws IOException {
    byte[] content = small("epochs.json");
    Set<String> whole = read(content);
    assertThat(whole).hasSizeGreaterThan(5);
    var random = new Random(8);
    for (int i = 0; i < 300; i++) {
      byte[] cut = Arrays.copyOf(content, random.nextInt(content.length - 2));
      assertThat(isReadable(cut, whole, "cut to " + cut.length)).isFalse();
      byte[] flipped = content.clone();
      flipped[random.nextInt(content.length)] ^= (byte) (1 << random.nextInt(8));
      try {
        read(flipped);
      } catch (IOException told) {
        assertThat(told.getMessage()).contains(NAME.toString());
      }
    }
  }

  @Test
  void directoriesThatClaimTooMuch() throws IOException {
    var random = new Random(9);
    Path file = directory.resolve("large.zip");
    try (var zip = new ZipWriter(file, PartialFile.at(directory.resolve("partial"), 0))) {
      for (int i = 0; i < 66_000; i++) {
        zip.add("m" + i, new byte[0]);
      }
      zip.finish();
    }
    byte[] content = Files.readAllBytes(file);
    int ends = ZipEnd.SIZE + ZipEnd.LOCATOR_SIZE + ZipEnd.LARGE_SIZE;
    for (int i = 0; i < 400; i++) {
      byte[] changed = content.clone();
      changed[content.length - 1 - random.nextInt(ends)] = (byte) random.nextInt(256);
      try (var zip = new ZipReader(NAME, new Bytes(changed))) {
        zip.find("m1");
        zip.find("m65999");
      } catch (IOException told) {
        assertThat(told.getMessage()).contains(NAME.toString());
      }
    }
  }
}
