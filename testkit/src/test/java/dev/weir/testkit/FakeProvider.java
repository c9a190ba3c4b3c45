package dev.weir.testkit;

import dev.weir.model.Adapter;
import dev.weir.model.ConfigurationException;
import dev.weir.model.ModelName;
import dev.weir.model.Secret;
import dev.weir.model.Spelling;
import dev.weir.model.spi.Provider;
import dev.weir.model.spi.Surroundings;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A provider of its own that is found on the class path; it breaks promises if it is told to. */
public final class FakeProvider implements Provider {

  static final String VARIABLE = "FAKE_API_KEY";

  private static final List<String> ARGUMENTS = List.of("sabotage", "colour");

  @Override
  public Set<String> names() {
    return Set.of("fake", "two-lines");
  }

  @Override
  public String help(String name) {
    return name.equals("two-lines") ? "first\nsecond" : "for tests; needs " + VARIABLE;
  }

  @Override
  public void check(ModelName name, Map<String, String> arguments) {
    for (String argument : arguments.keySet()) {
      if (!ARGUMENTS.contains(argument) && sabotage(arguments) != Sabotage.TAKES_ANY_ARGUMENT) {
        throw new ConfigurationException(
            "model '%s' has no argument '%s'%s"
                .formatted(name, argument, Spelling.hint(argument, ARGUMENTS)));
      }
    }
  }

  private static Sabotage sabotage(Map<String, String> arguments) {
    return Sabotage.valueOf(arguments.getOrDefault("sabotage", "NONE"));
  }

  @Override
  public Adapter open(ModelName name, Map<String, String> arguments, Surroundings surroundings) {
    check(name, arguments);
    Sabotage sabotage = sabotage(arguments);
    Secret secret =
        sabotage == Sabotage.NEEDS_NO_CREDENTIAL
            ? Secret.NONE
            : surroundings.credential(name, VARIABLE);
    return new FakeModel(name, secret, sabotage, surroundings.time());
  }
}
