package dev.weir.providers.google;

import dev.weir.limits.LimitKey;
import dev.weir.model.Adapter;
import dev.weir.model.ConfigurationException;
import dev.weir.model.ModelName;
import dev.weir.model.Secret;
import dev.weir.model.spi.Provider;
import dev.weir.model.spi.Surroundings;
import dev.weir.providers.http.Arguments;
import dev.weir.providers.http.BaseUrl;
import dev.weir.providers.http.HttpModel;
import dev.weir.providers.http.Transport;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Google's models: {@code google/…} with a key of the Gemini API, {@code vertex/…} with a token for
 * a project of Google Cloud. {@code -M stream=true} streams even if nobody reads the pieces.
 */
public final class GoogleProvider implements Provider {

  private static final String GEMINI = "google";
  private static final String VERTEX = "vertex";

  @Override
  public Set<String> names() {
    return Set.of(GEMINI, VERTEX);
  }

  @Override
  public String help(String name) {
    return name.equals(VERTEX)
        ? "Gemini on Vertex AI; needs GOOGLE_CLOUD_PROJECT, GOOGLE_CLOUD_LOCATION and"
            + " VERTEX_ACCESS_TOKEN or GOOGLE_ACCESS_TOKEN, for example from `gcloud auth"
            + " print-access-token` (other Google credentials are not read, and the token is not"
            + " renewed)"
        : "Google, Gemini API; needs GEMINI_API_KEY or GOOGLE_API_KEY";
  }

  @Override
  public void check(ModelName name, Map<String, String> arguments) {
    BaseUrl.requireStaysInPlace(name, "the name of the model", name.model());
    var _ = given(name, arguments).flag("stream", false);
  }

  @Override
  public Adapter open(ModelName name, Map<String, String> arguments, Surroundings surroundings) {
    BaseUrl.requireStaysInPlace(name, "the name of the model", name.model());
    return name.provider().equals(VERTEX)
        ? vertex(name, arguments, surroundings)
        : gemini(name, arguments, surroundings);
  }

  private static Arguments given(ModelName name, Map<String, String> arguments) {
    return Arguments.of(
        name,
        arguments,
        name.provider().equals(VERTEX)
            ? List.of("location", "project", "stream")
            : List.of("stream"));
  }

  private static Adapter gemini(
      ModelName name, Map<String, String> arguments, Surroundings surroundings) {
    Arguments given = given(name, arguments);
    String base =
        BaseUrl.of(
            name, surroundings, "GOOGLE_BASE_URL", "https://generativelanguage.googleapis.com");
    Secret secret = surroundings.credential(name, "GEMINI_API_KEY", "GOOGLE_API_KEY");
    // Tuned models have another place: tunedModels/mine.
    String model = (name.model().contains("/") ? "" : "models/") + encoded(name.model());
    return new HttpModel(
        name,
        LimitKey.of(GEMINI, secret.fingerprint(base), name.model()),
        base,
        new GeminiWire(
            (hasVersion(base) ? base : base + "/v1beta") + "/" + model,
            Map.of("x-goog-api-key", secret.reveal()),
            new GeminiRequest(GeminiModel.of(name.model())),
            given.flag("stream", false)),
        secret,
        Transport.shared(surroundings.environment()),
        surroundings.time());
  }

  private static Adapter vertex(
      ModelName name, Map<String, String> arguments, Surroundings surroundings) {
    Arguments given = given(name, arguments);
    String project = setting(name, given, "project", surroundings, "GOOGLE_CLOUD_PROJECT");
    String location = setting(name, given, "location", surroundings, "GOOGLE_CLOUD_LOCATION");
    String usual =
        location.equals("global")
            ? "https://aiplatform.googleapis.com"
            : "https://%s-aiplatform.googleapis.com".formatted(encoded(location));
    String base = BaseUrl.of(name, surroundings, "VERTEX_BASE_URL", usual);
    Secret secret = surroundings.credential(name, "VERTEX_ACCESS_TOKEN", "GOOGLE_ACCESS_TOKEN");
    String place = "projects/%s/locations/%s".formatted(encoded(project), encoded(location));
    String model =
        (name.model().contains("/") ? "" : "publishers/google/models/") + encoded(name.model());
    return new HttpModel(
        name,
        // Tokens come and go; quotas belong to the project, in each place.
        LimitKey.of(VERTEX, new Secret(place).fingerprint(base), name.model()),
        base,
        new GeminiWire(
            "%s/%s/%s".formatted(hasVersion(base) ? base : base + "/v1beta1", place, model),
            Map.of("authorization", "Bearer " + secret.reveal()),
            new GeminiRequest(GeminiModel.of(name.model())),
            given.flag("stream", false)),
        secret,
        Transport.shared(surroundings.environment()),
        surroundings.time());
  }

  private static String setting(
      ModelName name,
      Arguments given,
      String argument,
      Surroundings surroundings,
      String variable) {
    String setting =
        given
            .text(argument)
            .or(() -> surroundings.variable(variable))
            .map(String::strip)
            .orElseThrow(
                () ->
                    new ConfigurationException(
                        "model '%s' needs a %s: give -M %s=… or set %s"
                            .formatted(name, argument, argument, variable)));
    BaseUrl.requireStaysInPlace(name, "the " + argument, setting);
    return setting;
  }

  private static boolean hasVersion(String base) {
    return base.matches(".*/v\\d[a-z0-9]*");
  }

  private static String encoded(String path) {
    return URLEncoder.encode(path, StandardCharsets.UTF_8)
        .replace("+", "%20")
        .replace("%2F", "/")
        .replace("%40", "@");
  }
}
