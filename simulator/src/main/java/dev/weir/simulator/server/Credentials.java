package dev.weir.simulator.server;

import dev.weir.web.Request;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Optional;
import java.util.regex.Pattern;

/** The credential that requests need, in any of the headers in which APIs take it. */
final class Credentials {

  private static final Pattern SIGNATURE =
      Pattern.compile(
          "AWS4-HMAC-SHA256 Credential=[^/, ]+/\\d{8}/[^/, ]+/[^/, ]+/aws4_request,"
              + " ?SignedHeaders=[a-z0-9;-]+, ?Signature=[0-9a-f]{64}");

  private final Optional<String> key;

  /**
   * @param key empty if all are welcome
   */
  Credentials(Optional<String> key) {
    this.key = key;
  }

  boolean admit(Request request) {
    if (key.isEmpty()) {
      return true;
    }
    byte[] wanted = key.get().getBytes(StandardCharsets.UTF_8);
    return request
        .header("authorization")
        .filter(value -> value.regionMatches(true, 0, "Bearer ", 0, 7))
        .map(value -> value.substring(7).strip())
        .or(() -> request.header("x-api-key"))
        .or(() -> request.header("api-key"))
        .or(() -> request.header("x-goog-api-key"))
        // In constant time, though nothing is at stake here: it is copied elsewhere otherwise.
        .filter(given -> MessageDigest.isEqual(given.getBytes(StandardCharsets.UTF_8), wanted))
        .isPresent();
  }

  /** Also with a signature of AWS, whose form is all that is judged: there is no secret here. */
  boolean admitSigned(Request request) {
    return admit(request)
        || request.header("authorization").filter(SIGNATURE.asMatchPredicate()).isPresent();
  }
}
