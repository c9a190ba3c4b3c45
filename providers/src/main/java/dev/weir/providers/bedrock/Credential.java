package dev.weir.providers.bedrock;

import dev.weir.model.Secret;
import dev.weir.providers.http.WallClock;
import dev.weir.time.Time;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4HttpSigner;
import software.amazon.awssdk.http.auth.spi.signer.SignedRequest;
import software.amazon.awssdk.identity.spi.AwsCredentialsIdentity;
import software.amazon.awssdk.identity.spi.AwsSessionCredentialsIdentity;

/** How a request shows whom it is from. Thread-safe. */
sealed interface Credential {

  /** All headers of a request, those that prove the credential among them. */
  Map<String, String> headers(URI address, byte[] body);

  /** All of it that must not be seen: what travels, and what is only signed with. */
  Secret hidden();

  /** Tells accounts apart. */
  Secret account();

  /** What is sent with every request; it is signed, too. */
  private static Map<String, String> plain() {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("accept", "application/json");
    headers.put("content-type", "application/json");
    return headers;
  }

  /** An API key of Bedrock. */
  record Bearer(Secret key) implements Credential {

    @Override
    public Map<String, String> headers(URI address, byte[] body) {
      Map<String, String> headers = plain();
      headers.put("authorization", "Bearer " + key.reveal());
      return headers;
    }

    @Override
    public Secret hidden() {
      return key;
    }

    @Override
    public Secret account() {
      return key;
    }
  }

  /**
   * Keys of an AWS account, with which each request is signed (Signature Version 4).
   *
   * @param sessionToken goes with keys that expire
   * @param time when a request is signed
   */
  record Keys(
      String accessKeyId,
      Secret secretAccessKey,
      Optional<Secret> sessionToken,
      String region,
      Time time)
      implements Credential {

    private static final AwsV4HttpSigner SIGNER = AwsV4HttpSigner.create();

    @Override
    public Map<String, String> headers(URI address, byte[] body) {
      SdkHttpRequest.Builder request =
          SdkHttpRequest.builder().method(SdkHttpMethod.POST).uri(address);
      plain().forEach(request::putHeader);
      SdkHttpRequest ready = request.build();
      SignedRequest signed =
          SIGNER.sign(
              it ->
                  it.identity(identity())
                      .request(ready)
                      .payload(() -> new ByteArrayInputStream(body))
                      .putProperty(AwsV4HttpSigner.SERVICE_SIGNING_NAME, "bedrock")
                      .putProperty(AwsV4HttpSigner.REGION_NAME, region)
                      .putProperty(AwsV4HttpSigner.SIGNING_CLOCK, WallClock.of(time)));
      Map<String, String> headers = new LinkedHashMap<>();
      signed
          .request()
          .headers()
          .forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values.getFirst()));
      // The transport names the host itself, in the same words.
      headers.remove("host");
      return headers;
    }

    @Override
    public Secret hidden() {
      return Secret.all(Stream.concat(Stream.of(secretAccessKey), sessionToken.stream()).toList());
    }

    @Override
    public Secret account() {
      return new Secret(accessKeyId);
    }

    private AwsCredentialsIdentity identity() {
      String key = secretAccessKey.reveal();
      return sessionToken.isPresent()
          ? AwsSessionCredentialsIdentity.create(accessKeyId, key, sessionToken.get().reveal())
          : AwsCredentialsIdentity.create(accessKeyId, key);
    }
  }
}
