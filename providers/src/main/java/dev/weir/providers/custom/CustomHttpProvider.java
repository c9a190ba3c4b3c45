package dev.weir.providers.custom;

import dev.weir.limits.LimitKey;
import dev.weir.model.Adapter;
import dev.weir.model.ModelName;
import dev.weir.model.Secret;
import dev.weir.model.cache.FileShape;
import dev.weir.model.spi.Provider;
import dev.weir.model.spi.Surroundings;
import dev.weir.providers.http.Arguments;
import dev.weir.providers.http.ConfigFile;
import dev.weir.providers.http.HttpModel;
import dev.weir.providers.http.Transport;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The provider {@code http}: any server that takes a JSON body, see {@link HttpTemplate}. */
public final class CustomHttpProvider implements Provider {

  private static final List<String> ARGUMENTS = List.of("model", "config");

  @Override
  public Set<String> names() {
    return Set.of("http");
  }

  @Override
  public String help(String name) {
    return "any server, described in a file: http:CONFIG.yaml";
  }

  @Override
  public void check(ModelName name, Map<String, String> arguments) {
    var _ = Arguments.of(name, arguments, ARGUMENTS);
  }

  @Override
  public Adapter open(ModelName name, Map<String, String> given, Surroundings surroundings) {
    Arguments arguments = Arguments.of(name, given, ARGUMENTS);
    var variables = new Variables(name, surroundings);
    Path file = Path.of(name.model());
    // Another configuration may hold the description: there is no file then.
    Optional<String> config = arguments.text("config");
    HttpTemplate template =
        HttpTemplate.read(
            config
                .map(text -> ConfigFile.parse(file, text))
                .orElseGet(() -> ConfigFile.read(file, "the description of an http model")),
            String.valueOf(file.getFileName()),
            arguments.text("model"),
            variables,
            surroundings);
    Secret secret = variables.secret();
    Secret hidden = Secret.all(List.of(secret, template.credentials()));
    String endpoint = template.uri().toString();
    return new ToolsRefused(
        name,
        template,
        new HttpModel(
            name,
            LimitKey.of("http", secret.fingerprint(endpoint), template.model()),
            endpoint,
            new TemplateWire(template, hidden),
            hidden,
            Transport.shared(surroundings.environment()),
            surroundings.time()),
        config.orElseGet(() -> FileShape.of(List.of(file))));
  }
}
