package dev.weir.providers.openai;

import dev.weir.model.Adapter;
import dev.weir.model.ConfigurationException;
import dev.weir.model.ModelName;
import dev.weir.model.Secret;
import dev.weir.model.spi.Provider;
import dev.weir.model.spi.Surroundings;
import dev.weir.providers.http.Arguments;
import dev.weir.providers.http.BaseUrl;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Servers that speak OpenAI's language: any one as {@code openai-api/<name>/<model>}, and some
 * under names of their own.
 */
public final class CompatibleProvider implements Provider {

  private static final String ANY = "openai-api";
  private static final String GROK = "grok";

  private static final List<String> ARGUMENTS = List.of("stream");

  @Override
  public Set<String> names() {
    Set<String> names = new TreeSet<>(List.of(ANY, GROK));
    Preset.ALL.forEach(preset -> names.add(preset.name()));
    return names;
  }

  @Override
  public String help(String name) {
    if (name.equals(ANY)) {
      return "any OpenAI-compatible server: openai-api/<name>/<model>;"
          + " needs <NAME>_BASE_URL and, unless it is on this machine, <NAME>_API_KEY";
    }
    return Preset.named(name)
        .map(
            preset ->
                preset.needsKey()
                    ? preset.label() + "; needs " + preset.keyVariable()
                    : preset.label() + " at " + preset.usual() + ", or at " + preset.urlVariable())
        .orElse("");
  }

  @Override
  public void check(ModelName name, Map<String, String> arguments) {
    var _ = Streaming.of(Arguments.of(name, arguments, ARGUMENTS));
    var _ = named(name);
  }

  @Override
  public Adapter open(ModelName name, Map<String, String> arguments, Surroundings surroundings) {
    Arguments given = Arguments.of(name, arguments, ARGUMENTS);
    Named named = named(name);
    Preset preset = named.preset();
    String base =
        preset.usual().isEmpty()
            ? BaseUrl.required(name, surroundings, preset.urlVariable())
            : BaseUrl.of(name, surroundings, preset.urlVariable(), preset.usual());
    Secret secret = secret(name, preset, base, surroundings);
    var account = new Account(preset.name(), Endpoint.bearer(base, secret), secret, base);
    var setup =
        new WireSetup(
            named.model(), account.endpoint(), preset.traits(), Streaming.of(given), Map.of());
    return account.open(name, named.model(), new ChatCompletionsWire(setup), surroundings);
  }

  private static Named named(ModelName name) {
    if (!name.provider().equals(ANY)) {
      return new Named(Preset.named(name.provider()).orElseThrow(), name.model());
    }
    int slash = name.model().indexOf('/');
    if (slash < 1
        || slash == name.model().length() - 1
        || !name.model().substring(0, slash).matches("[A-Za-z][A-Za-z0-9_.-]*")) {
      throw new ConfigurationException(
          ("model '%s' must be of the form openai-api/<name>/<model>; the name is made of letters,"
                  + " digits and dashes, and tells which variables hold address and credential")
              .formatted(name));
    }
    String server = name.model().substring(0, slash);
    // A server that is known keeps what is known of it, except its place.
    Preset preset =
        Preset.named(server)
            .map(known -> new Preset(known.name(), known.label(), "", true, known.traits()))
            .orElseGet(() -> Preset.unknown(server));
    return new Named(preset, name.model().substring(slash + 1));
  }

  /** Nobody asks for a credential on one's own machine; whoever does gets it all the same. */
  private static Secret secret(
      ModelName name, Preset preset, String base, Surroundings surroundings) {
    Optional<String> given = surroundings.variable(preset.keyVariable());
    return given.isEmpty() && (!preset.needsKey() || isLoopback(base))
        ? Secret.NONE
        : surroundings.credential(name, preset.keyVariable());
  }

  private static boolean isLoopback(String base) {
    String host = URI.create(base).getHost();
    return host.equals("localhost") || host.startsWith("127.") || host.equals("[::1]");
  }

  private record Named(Preset preset, String model) {}
}
