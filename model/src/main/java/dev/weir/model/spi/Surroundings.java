package dev.weir.model.spi;

import dev.weir.model.ConfigurationException;
import dev.weir.model.MissingCredentialException;
import dev.weir.model.ModelName;
import dev.weir.model.Secret;
import dev.weir.time.Time;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a provider may use of the run it serves.
 *
 * @param seed the run's seed, for providers that simulate
 * @param environment variables of the process and of a {@code .env} file; they hold credentials
 * @param baseUrl where to find the server instead of its usual place, if the user said so
 */
public record Surroundings(
    Time time, long seed, Map<String, String> environment, Optional<URI> baseUrl) {

  public Surroundings {
    environment = Map.copyOf(environment);
  }

  /** Without any variables. */
  public Surroundings(Time time, long seed) {
    this(time, seed, Map.of(), Optional.empty());
  }

  /**
   * For a model of another account than the usual one: variables that end in its name stand in for
   * those without, {@code OPENAI_API_KEY_TEAM_B} for {@code OPENAI_API_KEY}.
   */
  public Surroundings forAccount(ModelName model) {
    if (model.account().isEmpty()) {
      return this;
    }
    String end = model.variable("");
    Map<String, String> variables = new HashMap<>(environment);
    environment.forEach(
        (name, value) -> {
          if (name.endsWith(end) && name.length() > end.length()) {
            variables.put(name.substring(0, name.length() - end.length()), value);
          }
        });
    return new Surroundings(time, seed, variables, baseUrl);
  }

  /** The value of a variable; an empty one counts as unset. */
  public Optional<String> variable(String name) {
    return Optional.ofNullable(environment.get(name)).filter(value -> !value.isBlank());
  }

  /**
   * The first of these variables that is set.
   *
   * @throws MissingCredentialException if none is, naming all of them
   * @throws ConfigurationException if it fits into no header
   */
  public Secret credential(ModelName model, String... variables) {
    for (String name : variables) {
      Optional<String> value = variable(name);
      if (value.isPresent()) {
        return secret(model, name, value.get().strip());
      }
    }
    throw new MissingCredentialException(
        "model '%s' needs a credential: set %s in the environment or in a file .env"
            .formatted(
                model,
                Stream.of(variables).map(model::variable).collect(Collectors.joining(" or "))));
  }

  /** A header carries it, and nothing else fits into one; most often a line too many was pasted. */
  private static Secret secret(ModelName model, String variable, String value) {
    if (value.chars().anyMatch(c -> c < ' ' || c > '~')) {
      throw new ConfigurationException(
          "model '%s': %s must be printable ASCII in one line; is there a line break or a quote in it that does not belong there?"
              .formatted(model, variable));
    }
    return new Secret(value);
  }

  /** No credential may be seen in a log by accident. */
  @Override
  public String toString() {
    return "Surroundings[seed=%d, baseUrl=%s]"
        .formatted(seed, baseUrl.map(URI::toString).orElse("usual"));
  }
}
