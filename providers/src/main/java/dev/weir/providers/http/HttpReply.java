package dev.weir.providers.http;

import dev.weir.model.spi.RawReply;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.util.Timeout;

/**
 * A response on its connection, which is used again if the body was read to its end and closed if
 * not: nobody waits for a body that nobody wants. Not thread-safe.
 *
 * <p>A packed body is never asked for. Where one comes all the same it is unpacked here, inside the
 * bound, so that a small response cannot become a huge one.
 */
final class HttpReply implements RawReply {

  /** After the last event of a stream comes the mark of its end: few bytes, and at once. */
  private static final Timeout LAST_BYTES_TIMEOUT = Timeout.ofMilliseconds(10);

  private static final int LAST_BYTES = 512;
  private static final int LAST_PARTS = 3;
  private static final int GZIP_MAGIC = 0x1f8b;

  private final ClassicHttpResponse response;
  private final ReplyConnection connection;
  private final Map<String, List<String>> headers;

  /** As it came. */
  private final BoundedStream content;

  /** As it is meant. */
  private final BoundedStream body;

  HttpReply(ClassicHttpResponse response, ReplyConnection connection, long most)
      throws IOException {
    this.response = response;
    this.connection = connection;
    this.headers = headers(response);
    HttpEntity entity = response.getEntity();
    if (entity == null) {
      connection.end();
    }
    InputStream came = entity == null ? InputStream.nullInputStream() : entity.getContent();
    long announced = entity == null ? 0 : entity.getContentLength();
    boolean packed = isPacked();
    this.content = new BoundedStream(came, announced, packed ? Long.MAX_VALUE : most, connection);
    this.body = packed ? new BoundedStream(unpackedOrBroken(content), -1, most, null) : content;
  }

  @Override
  public int status() {
    return response.getCode();
  }

  @Override
  public String statusText() {
    String reason = response.getReasonPhrase();
    return reason == null ? "" : reason;
  }

  @Override
  public Map<String, List<String>> headers() {
    return headers;
  }

  @Override
  public BoundedStream body() {
    return body;
  }

  /**
   * Everything that was wanted has been read: takes in the little that may be left, if it already
   * exists, so that the connection can be used again.
   */
  void finish() {
    if (content.hasEnded()) {
      return;
    }
    connection.timeout(LAST_BYTES_TIMEOUT);
    try {
      byte[] last = new byte[LAST_BYTES];
      int parts = 0;
      while (parts < LAST_PARTS && content.read(last) >= 0) {
        parts++;
      }
    } catch (IOException notThere) {
      // What was wanted is there, and the connection is closed.
    }
  }

  @Override
  public void close() {
    if (body.hasEnded()) {
      // A packed body may end before the bytes that it came in.
      finish();
    }
    if (!content.hasEnded()) {
      connection.discard();
    }
  }

  private boolean isPacked() {
    List<String> codings = headers.get("content-encoding");
    if (codings != null) {
      for (String coding : codings) {
        if (coding.toLowerCase(Locale.ROOT).contains("gzip")) {
          return true;
        }
      }
    }
    return false;
  }

  /** What is wrong with the body is told when it is read: status and headers are there. */
  private InputStream unpackedOrBroken(InputStream content) {
    try {
      return unpacked(content);
    } catch (IOException broken) {
      return new InputStream() {
        @Override
        public int read() throws IOException {
          throw broken;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
          throw broken;
        }
      };
    }
  }

  /** Believes the bytes more than the header: some servers send one without the other. */
  private InputStream unpacked(InputStream content) throws IOException {
    var buffered = new BufferedInputStream(content, 512);
    buffered.mark(2);
    int magic = (buffered.read() << 8) | buffered.read();
    buffered.reset();
    if (magic != GZIP_MAGIC) {
      return buffered;
    }
    // They tell of a body that nobody sees.
    headers.remove("content-encoding");
    headers.remove("content-length");
    return new GZIPInputStream(buffered);
  }

  private static Map<String, List<String>> headers(ClassicHttpResponse response) {
    Map<String, List<String>> headers = new LinkedHashMap<>();
    for (Header header : response.getHeaders()) {
      String name = header.getName().toLowerCase(Locale.ROOT);
      String value = header.getValue() == null ? "" : header.getValue();
      List<String> only = List.of(value);
      List<String> earlier = headers.putIfAbsent(name, only);
      if (earlier instanceof ArrayList<String> several) {
        several.add(value);
      } else if (earlier != null) {
        List<String> several = new ArrayList<>(earlier);
        several.add(value);
        headers.put(name, several);
      }
    }
    return headers;
  }
}
