package dev.weir.model.cache;

import java.io.ByteArrayOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * One entry as a file: a line of JSON that describes it, and then its text.
 *
 * <p>Whatever is not whole is absent: the line has the length and the hash of the text.
 *
 * @param key what it is found by
 * @param model whose answer it is, for people
 * @param stored when it was written
 */
record EntryFile(CacheKey key, String model, Instant stored, String text) {

  /** A larger one is not worth the reading. */
  static final int LARGEST = 64 << 20;

  private static final int FORMAT = 1;
  private static final int LONGEST_HEADER = 8 << 10;
  private static final int LONGEST_MODEL = 500;

  private static final JsonMapper JSON =
      JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

  /** What the first line says. */
  record Header(CacheKey key, String model, Instant stored, int bytes, String sha256) {}

  byte[] encode() {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    Map<String, Object> header = new LinkedHashMap<>();
    header.put("format", FORMAT);
    header.put("key", key.hex());
    header.put("model", model.substring(0, Math.min(model.length(), LONGEST_MODEL)));
    header.put("stored", stored.toString());
    header.put("bytes", body.length);
    header.put("sha256", CacheKey.sha256(body));
    var bytes = new ByteArrayOutputStream(body.length + 512);
    bytes.writeBytes(JSON.writeValueAsBytes(header));
    bytes.write('\n');
    bytes.writeBytes(body);
    return bytes.toByteArray();
  }

  /** Not through a channel: an interrupt would close it, and lose an answer that is paid for. */
  static void write(Path file, byte[] bytes) throws IOException {
    try (OutputStream out = new FileOutputStream(file.toFile())) {
      out.write(bytes);
    }
  }

  /** Empty if there is no such file, or it is not whole. */
  static Optional<EntryFile> read(Path file) {
    try {
      if (Files.size(file) > LARGEST) {
        return Optional.empty();
      }
      return decode(Files.readAllBytes(file));
    } catch (IOException unreadable) {
      return Optional.empty();
    }
  }

  static Optional<EntryFile> decode(byte[] bytes) {
    int end = endOfHeader(bytes);
    Header header = end < 0 ? null : header(bytes, end);
    if (header == null || header.bytes() != bytes.length - end - 1) {
      return Optional.empty();
    }
    byte[] body = Arrays.copyOfRange(bytes, end + 1, bytes.length);
    return header.sha256().equals(CacheKey.sha256(body))
        ? Optional.of(
            new EntryFile(
                header.key(),
                header.model(),
                header.stored(),
                new String(body, StandardCharsets.UTF_8)))
        : Optional.empty();
  }

  /** Of the first line alone; empty if it cannot be read. */
  static Optional<Header> header(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] begin = in.readNBytes(LONGEST_HEADER);
      int end = endOfHeader(begin);
      return end < 0 ? Optional.empty() : Optional.ofNullable(header(begin, end));
    } catch (IOException unreadable) {
      return Optional.empty();
    }
  }

  private static int endOfHeader(byte[] bytes) {
    for (int i = 0; i < Math.min(bytes.length, LONGEST_HEADER); i++) {
      if (bytes[i] == '\n') {
        return i;
      }
    }
    return -1;
  }

  private static @Nullable Header header(byte[] bytes, int end) {
    try {
      JsonNode json = JSON.readTree(bytes, 0, end);
      if (json.path("format").asInt(0) != FORMAT) {
        return null;
      }
      return new Header(
          new CacheKey(json.path("key").asString("")),
          json.path("model").asString(""),
          Instant.parse(json.path("stored").asString("")),
          json.path("bytes").asInt(-1),
          json.path("sha256").asString(""));
    } catch (JacksonException | DateTimeException | IllegalArgumentException notWhole) {
      return null;
    }
  }
}
