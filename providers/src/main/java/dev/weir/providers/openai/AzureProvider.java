package dev.weir.providers.openai;

import static dev.weir.providers.openai.Rule.code;
import static dev.weir.providers.openai.Rule.says;
import static dev.weir.providers.openai.Rule.status;

import dev.weir.model.Adapter;
import dev.weir.model.ConfigurationException;
import dev.weir.model.ModelName;
import dev.weir.model.Secret;
import dev.weir.model.spi.Provider;
import dev.weir.model.spi.Surroundings;
import dev.weir.providers.http.Arguments;
import dev.weir.providers.http.BaseUrl;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** OpenAI's models on Azure, API version 1: {@code azure/<deployment>}. */
public final class AzureProvider implements Provider {

  private static final String NAME = "azure";
  private static final String URL = "AZURE_OPENAI_BASE_URL";
  private static final String ENDPOINT = "AZURE_OPENAI_ENDPOINT";
  private static final String KEY = "AZURE_OPENAI_API_KEY";
  private static final String TOKEN = "AZURE_OPENAI_AD_TOKEN";
  private static final String PATH = "/openai/v1";

  private static final List<String> ARGUMENTS = List.of("api", "stream");

  /** A limit that asks for more patience than this is a quota. */
  private static final Duration PATIENCE = Duration.ofHours(1);

  private static final Refusals REFUSALS =
      Refusals.COMMON.after(
          new Rule(
              status(429).and(refusal -> refusal.asksToWait().compareTo(PATIENCE) > 0),
              Meaning.MODEL_SPENT),
          // Azure says so of a minute's tokens, too; it then tells when they are back.
          new Rule(
              status(429)
                  .and(code("insufficient_quota"))
                  .and(refusal -> refusal.asksToWait().isPositive()),
              Meaning.RATE_LIMITED),
          new Rule(
              status(429).and(code("nocapacity").or(says("high demand", "peak load"))),
              Meaning.OVERLOADED),
          new Rule(
              status(403).and(says("call volume quota", "quota will be replenished")),
              Meaning.ACCOUNT_SPENT));

  @Override
  public Set<String> names() {
    return Set.of(NAME);
  }

  @Override
  public String help(String name) {
    return "Azure OpenAI: azure/<deployment>; needs %s and %s or %s"
        .formatted(ENDPOINT, KEY, TOKEN);
  }

  @Override
  public void check(ModelName name, Map<String, String> arguments) {
    Arguments given = Arguments.of(name, arguments, ARGUMENTS);
    var _ = Api.of(given);
    var _ = Streaming.of(given);
  }

  @Override
  public Adapter open(ModelName name, Map<String, String> arguments, Surroundings surroundings) {
    Arguments given = Arguments.of(name, arguments, ARGUMENTS);
    Account account = account(name, base(name, surroundings), surroundings);
    var setup =
        new WireSetup(
            name.model(),
            account.endpoint(),
            Traits.OPENAI.with(REFUSALS),
            Streaming.of(given),
            Map.of());
    // The name of a deployment does not tell which model it is.
    return account.open(
        name, name.model(), Api.of(given).orElse(Api.CHAT).wire(setup), surroundings);
  }

  private static Account account(ModelName name, String base, Surroundings surroundings) {
    Optional<String> key = surroundings.variable(KEY);
    Secret secret = surroundings.credential(name, KEY, TOKEN);
    Endpoint endpoint =
        key.isPresent()
            ? new Endpoint(base, Map.of("api-key", secret.reveal()))
            : Endpoint.bearer(base, secret);
    return new Account(NAME, endpoint, secret, base);
  }

  /** A base address is taken as it is; an endpoint lacks the path of the API. */
  private static String base(ModelName name, Surroundings surroundings) {
    String base = BaseUrl.of(name, surroundings, URL, "");
    if (!base.isEmpty()) {
      return base;
    }
    String endpoint = BaseUrl.of(name, surroundings, ENDPOINT, "");
    if (endpoint.isEmpty()) {
      throw new ConfigurationException(
          ("model '%s' needs the address of its resource: set %s, for example to"
                  + " https://my-resource.openai.azure.com, or give --model-base-url")
              .formatted(name, ENDPOINT));
    }
    return endpoint.endsWith(PATH) ? endpoint : endpoint + PATH;
  }
}
