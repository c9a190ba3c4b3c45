package dev.weir.providers.bedrock;

import dev.weir.limits.LimitKey;
import dev.weir.model.Adapter;
import dev.weir.model.ConfigurationException;
import dev.weir.model.ModelName;
import dev.weir.model.spi.Provider;
import dev.weir.model.spi.Surroundings;
import dev.weir.providers.http.Arguments;
import dev.weir.providers.http.BaseUrl;
import dev.weir.providers.http.HttpModel;
import dev.weir.providers.http.Transport;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Amazon Bedrock. Bedrock reserves {@code maxTokens} from the quota when a request begins, and the
 * most that the model can write if it is not told: tell it.
 */
public final class BedrockProvider implements Provider {

  private static final String NAME = "bedrock";
  private static final String API_KEY = "AWS_BEARER_TOKEN_BEDROCK";

  private static final List<String> ARGUMENTS = List.of("region");

  @Override
  public Set<String> names() {
    return Set.of(NAME);
  }

  @Override
  public String help(String name) {
    return "Amazon Bedrock, Converse API; needs AWS_REGION (or -M region=…) and %s, or"
            .formatted(API_KEY)
        + " AWS_ACCESS_KEY_ID with AWS_SECRET_ACCESS_KEY (and AWS_SESSION_TOKEN); profiles are not"
        + " read";
  }

  @Override
  public void check(ModelName name, Map<String, String> arguments) {
    BaseUrl.requireStaysInPlace(name, "the name of the model", name.model());
    var _ = Arguments.of(name, arguments, ARGUMENTS);
  }

  @Override
  public Adapter open(ModelName name, Map<String, String> arguments, Surroundings surroundings) {
    BaseUrl.requireStaysInPlace(name, "the name of the model", name.model());
    Arguments given = Arguments.of(name, arguments, ARGUMENTS);
    String region = region(name, given, surroundings);
    String base =
        BaseUrl.of(
            name,
            surroundings,
            "BEDROCK_BASE_URL",
            "https://bedrock-runtime.%s.amazonaws.com".formatted(region));
    Credential credential = credential(name, region, surroundings);
    // A model may be an ARN, with colons and slashes that are no part of the path.
    String model = URLEncoder.encode(name.model(), StandardCharsets.UTF_8).replace("+", "%20");
    return new HttpModel(
        name,
        LimitKey.of(NAME, credential.account().fingerprint(base), name.model()),
        base,
        new ConverseWire(
            URI.create("%s/model/%s/converse".formatted(base, model)),
            credential,
            new ConverseRequest(name.model())),
        credential.hidden(),
        Transport.shared(surroundings.environment()),
        surroundings.time());
  }

  private static String region(ModelName name, Arguments given, Surroundings surroundings) {
    String region =
        given
            .text("region")
            .or(() -> surroundings.variable("AWS_REGION"))
            .or(() -> surroundings.variable("AWS_DEFAULT_REGION"))
            .map(String::strip)
            .orElseThrow(
                () ->
                    new ConfigurationException(
                        "model '%s' needs a region: set AWS_REGION or give -M region=us-east-1"
                            .formatted(name)));
    if (!region.matches("[a-z0-9-]+")) {
      throw given.wrong("region", "such as us-east-1", region);
    }
    return region;
  }

  private static Credential credential(ModelName name, String region, Surroundings surroundings) {
    Optional<String> accessKeyId = surroundings.variable("AWS_ACCESS_KEY_ID");
    if (surroundings.variable(API_KEY).isPresent() || accessKeyId.isEmpty()) {
      // The second is only named in the error: it is not set.
      return new Credential.Bearer(surroundings.credential(name, API_KEY, "AWS_ACCESS_KEY_ID"));
    }
    return new Credential.Keys(
        accessKeyId.get().strip(),
        surroundings.credential(name, "AWS_SECRET_ACCESS_KEY"),
        surroundings
            .variable("AWS_SESSION_TOKEN")
            .map(_ -> surroundings.credential(name, "AWS_SESSION_TOKEN")),
        region,
        surroundings.time());
  }
}
