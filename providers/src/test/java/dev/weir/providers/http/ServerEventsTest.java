package dev.weir.providers.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class ServerEventsTest {

  /** Hands out so many bytes at a time. */
  private static InputStream inParts(byte[] bytes, int size) {
    return new ByteArrayInputStream(bytes) {
      @Override
      public synchronized int read(byte[] into, int offset, int length) {
        return super.read(into, offset, Math.min(size, length));
      }
    };
  }

  private static List<ServerEvent> read(String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    List<List<ServerEvent>> readings = new ArrayList<>();
    for (int size : new int[] {1, 2, 7, 10_000}) {
      for (int begun : new int[] {0, Math.min(3, bytes.length)}) {
        byte[] first = new byte[begun];
        System.arraycopy(bytes, 0, first, 0, begun);
        InputStream rest = inParts(bytes, size);
        rest.skipNBytes(begun);
        var events = new ServerEvents(first, rest);
        List<ServerEvent> found = new ArrayList<>();
        for (ServerEvent event = events.next(); event != null; event = events.next()) {
          found.add(event);
        }
        assertThat(events.text()).isEqualTo(text);
        readings.add(found);
      }
    }
    assertThat(new HashSet<>(readings)).hasSize(1);
    return readings.getFirst();
  }

  @Test
  void eventsAreReadHoweverTheyAreCut() throws Exception {
    assertThat(
            read(
                "\uFEFFevent: start\ndata: grün\n\n: comment\n\r\ndata:two\rdata:  lines\r\r"
                    + "id: 7\nretry: 5\n\nevent: lonely\n\ndata\n\ndata: last"))
        .containsExactly(
            new ServerEvent("start", "grün"),
            new ServerEvent("", "two\n lines"),
            new ServerEvent("", ""),
            new ServerEvent("", "last"));
  }

  @Test
  void nothingIsNothing() throws Exception {
    assertThat(read("")).isEmpty();
    assertThat(read("\n\n\r\n: only\n\n")).isEmpty();
  }

  @Test
  void aLongEventIsRead() throws Exception {
    assertThat(read("data: " + "x".repeat(100_000) + "\n\n"))
        .singleElement()
        .satisfies(event -> assertThat(event.data()).hasSize(100_000));
  }
}
