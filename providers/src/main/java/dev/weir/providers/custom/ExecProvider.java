package dev.weir.providers.custom;

import dev.weir.limits.LimitKey;
import dev.weir.model.Adapter;
import dev.weir.model.ModelName;
import dev.weir.model.Secret;
import dev.weir.model.spi.Provider;
import dev.weir.model.spi.Surroundings;
import dev.weir.providers.http.Arguments;
import dev.weir.providers.http.ConfigFile;
import dev.weir.providers.http.NamedCredentials;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The provider {@code exec}: a program that is asked on standard input, see {@link ExecConfig}. */
public final class ExecProvider implements Provider {

  private static final List<String> ARGUMENTS = List.of("model", "timeout", "config");

  @Override
  public Set<String> names() {
    return Set.of("exec");
  }

  @Override
  public String help(String name) {
    return "any program, or a file that describes one: exec:./model.sh, exec:CONFIG.yaml";
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
    ExecConfig config =
        arguments
            .text("config")
            .map(text -> ExecConfig.of(file, ConfigFile.parse(file, text), arguments, variables))
            .orElseGet(() -> ExecConfig.read(file, arguments, variables));
    Secret secret = variables.secret();
    String endpoint = config.source().toString();
    return new ExecModel(
        name,
        LimitKey.of("exec", secret.fingerprint(endpoint), config.model()),
        config,
        Secret.all(List.of(secret, NamedCredentials.in(config.environment()))),
        surroundings.time());
  }
}
