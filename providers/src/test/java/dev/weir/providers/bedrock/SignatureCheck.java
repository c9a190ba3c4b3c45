package dev.weir.providers.bedrock;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Computes a signature as a server does, after
 * docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html, and without
 * the signer under test.
 *
 * @param signed the names of the signed headers, sorted
 */
record SignatureCheck(
    String method,
    String path,
    Map<String, String> headers,
    List<String> signed,
    String body,
    String date,
    String region,
    String service) {

  String signature(String secretKey) throws GeneralSecurityException {
    var lines = new StringBuilder();
    for (String name : signed) {
      lines.append(name).append(':').append(headers.getOrDefault(name, "").strip()).append('\n');
    }
    // Services other than S3 encode the path once more; only a percent sign changes here.
    String canonical =
        String.join(
            "\n",
            method,
            path.replace("%", "%25"),
            "",
            lines.toString(),
            String.join(";", signed),
            sha256(body));
    String day = date.substring(0, 8);
    String scope = "%s/%s/%s/aws4_request".formatted(day, region, service);
    String toSign = String.join("\n", "AWS4-HMAC-SHA256", date, scope, sha256(canonical));
    byte[] key = ("AWS4" + secretKey).getBytes(StandardCharsets.UTF_8);
    for (String part : List.of(day, region, service, "aws4_request")) {
      key = hmac(key, part);
    }
    return HexFormat.of().formatHex(hmac(key, toSign));
  }

  private static byte[] hmac(byte[] key, String text) throws GeneralSecurityException {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(key, "HmacSHA256"));
    return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
  }

  private static String sha256(String text) throws GeneralSecurityException {
    return HexFormat.of()
        .formatHex(
            MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
  }
}
