package dev.weir.providers.custom;

import dev.weir.model.ModelName;
import dev.weir.model.Secret;
import dev.weir.model.spi.Surroundings;
import dev.weir.providers.http.ConfigFile.Value;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Fills {@code ${NAME}} with variables of the environment, which are credentials from then on. */
final class Variables {

  private static final Pattern VARIABLE = Pattern.compile("\\$\\{([A-Za-z_][A-Za-z0-9_]*)}");

  private final ModelName model;
  private final Surroundings surroundings;
  private final List<Secret> used = new ArrayList<>();

  Variables(ModelName model, Surroundings surroundings) {
    this.model = model;
    this.surroundings = surroundings;
  }

  /** The texts of a mapping; they hold credentials. */
  Map<String, String> fill(Value mapping, String what) {
    Map<String, String> filled = new LinkedHashMap<>();
    mapping
        .mapping(what)
        .forEach((name, value) -> filled.put(name, fill(value.text("`%s`".formatted(name)))));
    return filled;
  }

  private String fill(String text) {
    return VARIABLE
        .matcher(text)
        .replaceAll(match -> Matcher.quoteReplacement(value(match.group(1))));
  }

  private String value(String name) {
    Secret secret = surroundings.credential(model, name);
    used.add(secret);
    return secret.reveal();
  }

  static void refuseIn(Value value, String text) {
    if (VARIABLE.matcher(text).find()) {
      throw value.problem("credentials (${NAME}) belong into `headers` or `env`, not in here");
    }
  }

  /** All that were filled in so far. */
  Secret secret() {
    return Secret.all(used);
  }
}
