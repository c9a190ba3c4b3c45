package dev.weir.providers.anthropic;

import dev.weir.limits.LimitKey;
import dev.weir.model.Adapter;
import dev.weir.model.GenerationSettings;
import dev.weir.model.ModelName;
import dev.weir.model.Secret;
import dev.weir.model.spi.Provider;
import dev.weir.model.spi.Surroundings;
import dev.weir.providers.http.Arguments;
import dev.weir.providers.http.BaseUrl;
import dev.weir.providers.http.HttpBatchModel;
import dev.weir.providers.http.HttpModel;
import dev.weir.providers.http.Transport;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Anthropic. Answers come in pieces even if nobody reads them, unless {@code -M stream=false};
 * {@code -M betas=a,b} asks for features in beta.
 */
public final class AnthropicProvider implements Provider {

  private static final String NAME = "anthropic";
  private static final String KEY = "ANTHROPIC_API_KEY";
  private static final String TOKEN = "ANTHROPIC_AUTH_TOKEN";
  private static final String STREAM = "stream";

  private static final List<String> ARGUMENTS = List.of("betas", STREAM);

  @Override
  public Set<String> names() {
    return Set.of(NAME);
  }

  @Override
  public String help(String name) {
    return "Anthropic, Messages API; needs %s, or %s as a bearer token".formatted(KEY, TOKEN);
  }

  @Override
  public OptionalInt maxTokens(ModelName name, GenerationSettings settings) {
    var request = new MessagesRequest(name.model(), ClaudeModel.of(name.model()));
    return OptionalInt.of(request.maxTokens(settings));
  }

  @Override
  public void check(ModelName name, Map<String, String> arguments) {
    var _ = Arguments.of(name, arguments, ARGUMENTS).flag(STREAM, true);
  }

  @Override
  public Adapter open(ModelName name, Map<String, String> arguments, Surroundings surroundings) {
    Arguments given = Arguments.of(name, arguments, ARGUMENTS);
    boolean streams = given.flag(STREAM, true);
    String base = BaseUrl.of(name, surroundings, "ANTHROPIC_BASE_URL", "https://api.anthropic.com");
    Secret secret = surroundings.credential(name, KEY, TOKEN);

    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("anthropic-version", "2023-06-01");
    if (surroundings.variable(KEY).isPresent()) {
      headers.put("x-api-key", secret.reveal());
    } else {
      headers.put("authorization", "Bearer " + secret.reveal());
    }
    given.text("betas").ifPresent(betas -> headers.put("anthropic-beta", betas));

    ClaudeModel claude = ClaudeModel.of(name.model());
    String address = base + (base.endsWith("/v1") ? "/messages" : "/v1/messages");
    var model =
        new HttpModel(
            name,
            new LimitKey(NAME, secret.fingerprint(base), claude.pool(), name.model()),
            base,
            new MessagesWire(
                URI.create(address), headers, new MessagesRequest(name.model(), claude), streams),
            secret,
            Transport.shared(surroundings.environment()),
            surroundings.time());
    return new HttpBatchModel(model, new AnthropicBatchApi(model, address));
  }
}
