package dev.weir.log.inspect;

import java.io.IOException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Makes the JSON of samples smaller, and whole again. What events repeat is kept once: long texts
 * as attachments, the messages of model calls in pools.
 */
public final class Condensing {

  private Condensing() {}

  /**
   * Condenses a sample, just where Inspect looks for what was taken out when it reads.
   *
   * @param sample JSON of a sample, as UTF-8
   * @throws IOException if it is not
   */
  public static byte[] condense(byte[] sample) throws IOException {
    return changed(sample, tree -> new SampleCondenser(tree).condense());
  }

  /**
   * Puts attachments and pooled messages back where they are used.
   *
   * @param sample JSON of a sample, as UTF-8
   * @throws IOException if it is not
   */
  public static byte[] resolve(byte[] sample) throws IOException {
    return changed(sample, tree -> new SampleResolver(tree).resolve());
  }

  private interface Change {
    void apply(ObjectNode sample) throws IOException;
  }

  private static byte[] changed(byte[] sample, Change change) throws IOException {
    return InspectJson.reading(
        "a sample",
        () -> {
          JsonNode tree = InspectJson.MAPPER.readTree(sample);
          if (!(tree instanceof ObjectNode object)) {
            throw new IOException("a sample is not a JSON object");
          }
          change.apply(object);
          return InspectJson.bytes(object);
        });
  }
}
