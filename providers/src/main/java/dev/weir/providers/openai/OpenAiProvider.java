package dev.weir.providers.openai;

import dev.weir.model.Adapter;
import dev.weir.model.ModelName;
import dev.weir.model.Secret;
import dev.weir.model.spi.Provider;
import dev.weir.model.spi.Surroundings;
import dev.weir.providers.http.Arguments;
import dev.weir.providers.http.BaseUrl;
import dev.weir.providers.http.HttpBatchModel;
import dev.weir.providers.http.HttpModel;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The provider {@code openai}. */
public final class OpenAiProvider implements Provider {

  private static final String NAME = "openai";
  private static final String USUAL = "https://api.openai.com/v1";

  private static final List<String> ARGUMENTS =
      List.of("api", "stream", "organization", "project", "service_tier");

  @Override
  public Set<String> names() {
    return Set.of(NAME);
  }

  @Override
  public String help(String name) {
    return "OpenAI; needs OPENAI_API_KEY";
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
    Account account = account(name, given, surroundings);
    var setup =
        new WireSetup(
            name.model(),
            account.endpoint(),
            Traits.OPENAI,
            Streaming.of(given),
            given.text("service_tier").map(tier -> Map.of("service_tier", tier)).orElse(Map.of()));
    Api api = api(name, given, account.endpoint());
    HttpModel model = account.open(name, name.model(), api.wire(setup), surroundings);
    return new HttpBatchModel(model, new OpenAiBatchApi(model, api.path()));
  }

  static Api api(ModelName name, Map<String, String> arguments, Surroundings surroundings) {
    Arguments given = Arguments.of(name, arguments, ARGUMENTS);
    return api(name, given, account(name, given, surroundings).endpoint());
  }

  /**
   * What the user says; else, for models that reason at OpenAI itself, the Responses API, which
   * alone takes thoughts back. Another server under {@code OPENAI_BASE_URL} may not have it.
   */
  private static Api api(ModelName name, Arguments given, Endpoint endpoint) {
    return Api.of(given)
        .orElse(
            endpoint.base().equals(USUAL) && ReasoningModels.isOne(name.model())
                ? Api.RESPONSES
                : Api.CHAT);
  }

  /** Limits belong to organisation and project, not to the key alone. */
  private static Account account(ModelName name, Arguments given, Surroundings surroundings) {
    String base = BaseUrl.of(name, surroundings, "OPENAI_BASE_URL", USUAL);
    Secret secret = surroundings.credential(name, "OPENAI_API_KEY");
    String organization =
        given.text("organization").or(() -> surroundings.variable("OPENAI_ORG_ID")).orElse("");
    String project =
        given.text("project").or(() -> surroundings.variable("OPENAI_PROJECT_ID")).orElse("");
    Endpoint endpoint =
        Endpoint.bearer(base, secret)
            .with("OpenAI-Organization", organization)
            .with("OpenAI-Project", project);
    return new Account(NAME, endpoint, secret, String.join("\n", base, organization, project));
  }
}
