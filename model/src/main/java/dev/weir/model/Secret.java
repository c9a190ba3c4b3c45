package dev.weir.model;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** A credential. It is never shown: not as text, not in a message that it slipped into. */
public final class Secret {

  /** For servers that ask for none. */
  public static final Secret NONE = new Secret("");

  /** What stands in its place. */
  public static final String REDACTED = "[redacted]";

  /** Shorter ones may be part of ordinary words. */
  private static final int SHORTEST_TO_REDACT = 6;

  private static final byte[] FINGERPRINT_KEY =
      "weir account fingerprint 1".getBytes(StandardCharsets.UTF_8);

  private static final int FINGERPRINT_BYTES = 6;

  private final String value;

  /** What is never shown: the credential, or each part of one that has several. */
  private final List<Spellings> parts;

  public Secret(String value) {
    this(value, value.length() < SHORTEST_TO_REDACT ? List.of() : List.of(Spellings.of(value)));
  }

  private Secret(String value, List<Spellings> parts) {
    this.value = value;
    this.parts = parts;
  }

  /** Several credentials of one account as one, none of which is ever shown. */
  public static Secret all(List<Secret> secrets) {
    return new Secret(
        secrets.stream().map(Secret::reveal).collect(Collectors.joining("\n")),
        secrets.stream().flatMap(secret -> secret.parts.stream()).toList());
  }

  /** The credential itself, for the header that carries it and for nothing else. */
  public String reveal() {
    return value;
  }

  public boolean isEmpty() {
    return value.isEmpty();
  }

  /** A text without the credential, should it be in there, as it is or as others may write it. */
  public String redact(String text) {
    String redacted = text;
    for (Spellings part : parts) {
      redacted = part.redact(redacted);
    }
    return redacted;
  }

  /**
   * The ways to write a credential that anybody can read back.
   *
   * @param plain as it is, in an address, and in base 64
   * @param escaped with any of its characters escaped as JSON allows, also within JSON
   */
  private record Spellings(List<String> plain, Pattern escaped) {

    static Spellings of(String value) {
      String base64 =
          Base64.getEncoder()
              .withoutPadding()
              .encodeToString(value.getBytes(StandardCharsets.UTF_8));
      return new Spellings(
          List.of(value, URLEncoder.encode(value, StandardCharsets.UTF_8), base64),
          Pattern.compile(
              value.chars().mapToObj(c -> escapable((char) c)).collect(Collectors.joining())));
    }

    /** More than a few escapes of escapes are nothing that anybody writes. */
    private static String escapable(char c) {
      String code = HexFormat.of().toHexDigits(c);
      return "(?:%s|\\\\{1,4}(?:%s|(?i:u%s)))"
          .formatted(
              Pattern.quote("" + c),
              Character.isLetterOrDigit(c) ? "(?!)" : Pattern.quote("" + c),
              code);
    }

    String redact(String text) {
      String redacted = text;
      for (String spelling : plain) {
        redacted = redacted.replace(spelling, REDACTED);
      }
      return redacted.indexOf('\\') < 0 ? redacted : escaped.matcher(redacted).replaceAll(REDACTED);
    }
  }

  /** Tells one account at one place from another, without telling anything about the credential. */
  public String fingerprint(String place) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(FINGERPRINT_KEY, "HmacSHA256"));
      mac.update(value.getBytes(StandardCharsets.UTF_8));
      mac.update((byte) 0);
      byte[] hash = mac.doFinal(place.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash, 0, FINGERPRINT_BYTES);
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException("every Java has HmacSHA256", impossible);
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Secret secret && secret.value.equals(value);
  }

  @Override
  public int hashCode() {
    return value.hashCode();
  }

  @Override
  public String toString() {
    return REDACTED;
  }
}
