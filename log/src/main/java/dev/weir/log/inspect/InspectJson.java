package dev.weir.log.inspect;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.StreamWriteConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonReadFeature;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** JSON as Inspect writes it: with NaN and Infinity, half characters and very long strings. */
final class InspectJson {

  /** Inspect itself stops at 254. */
  private static final int DEEPEST = 1_000;

  private static final int LONGEST_NUMBER = 10_000;
  private static final int LONGEST_NAME = 1 << 20;

  static final JsonMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(DEEPEST)
                          .maxStringLength(Integer.MAX_VALUE)
                          .maxNameLength(LONGEST_NAME)
                          .maxNumberLength(LONGEST_NUMBER)
                          .build())
                  .streamWriteConstraints(
                      StreamWriteConstraints.builder().maxNestingDepth(DEEPEST).build())
                  .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
                  .disable(JsonWriteFeature.WRITE_NAN_AS_STRINGS)
                  // The streams belong to those who opened them.
                  .disable(StreamReadFeature.AUTO_CLOSE_SOURCE)
                  .build())
          .disable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .build();

  private InspectJson() {}

  /** Something that reads or writes JSON. */
  interface Work<T> {
    T run() throws IOException;
  }

  /** JSON that is none is a matter of the file, to be reported like other damage. */
  static <T> T reading(String what, Work<T> work) throws IOException {
    try {
      return work.run();
    } catch (JacksonException broken) {
      // A problem of the stream below comes wrapped, and says all there is to say.
      if (broken.getCause() instanceof IOException below) {
        throw below;
      }
      throw new DamagedException(
          what + " is not the JSON it should be: " + problem(broken), broken);
    } catch (UncheckedIOException tooLarge) {
      throw new IOException(what + ": " + tooLarge.getMessage(), tooLarge);
    }
  }

  private static String problem(JacksonException broken) {
    long offset = broken.getLocation() == null ? -1 : broken.getLocation().getByteOffset();
    return broken.getOriginalMessage() + (offset < 0 ? "" : " (at byte " + offset + ")");
  }

  /** Reads one value to the end of the stream. */
  static void skip(String what, InputStream in) throws IOException {
    reading(
        what,
        () -> {
          try (JsonParser parser = MAPPER.createParser(in)) {
            parser.nextToken();
            parser.skipChildren();
            if (parser.nextToken() != null) {
              throw new DamagedException(what + " goes on after its JSON has ended");
            }
            return in.transferTo(OutputStream.nullOutputStream());
          }
        });
  }

  /** The value at which the parser stands, as text of its own, exactly as far as JSON goes. */
  static byte[] copy(JsonParser parser) throws IOException {
    var bytes = new ByteArrayOutputStream();
    try (var writer = new Utf8Writer(bytes);
        JsonGenerator generator =
            MAPPER.tokenStreamFactory().createGenerator(ObjectWriteContext.empty(), writer)) {
      generator.copyCurrentStructureExact(parser);
    }
    return bytes.toByteArray();
  }

  /**
   * @throws IOException if it would be more than one sample may have
   */
  static byte[] bytes(JsonNode tree) throws IOException {
    var bytes = new Bounded();
    try (var writer = new Utf8Writer(bytes)) {
      MAPPER.writeValue(writer, tree);
    }
    return bytes.toByteArray();
  }

  private static final class Bounded extends ByteArrayOutputStream {

    @Override
    public synchronized void write(byte[] from, int offset, int length) {
      if (size() + length > ZipReader.MOST_HELD) {
        throw new UncheckedIOException(
            new IOException("a sample is larger than " + ZipReader.MOST_HELD + " bytes"));
      }
      super.write(from, offset, length);
    }
  }
}
