package dev.weir.cli;

import dev.weir.model.ModelName;
import dev.weir.model.spi.Providers;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Finds the variable that holds a credential which a provider has rejected. */
final class RejectedCredential {

  /** In the help of a provider: {@code OpenAI; needs OPENAI_API_KEY}. */
  private static final Pattern VARIABLE = Pattern.compile("\\b[A-Z][A-Z0-9_]*_(?:KEY|TOKEN)\\b");

  private RejectedCredential() {}

  /** Absent if it is not known: no variable of the provider is set, or several are. */
  static Optional<String> variable(ModelName model, Map<String, String> environment) {
    String help =
        Providers.find(model)
            .help(model.provider())
            .replace("<NAME>", name(model).toUpperCase(Locale.ROOT).replaceAll("\\W", "_"));
    Set<String> named =
        VARIABLE
            .matcher(help)
            .results()
            .map(found -> found.group())
            .collect(Collectors.toCollection(LinkedHashSet::new));
    List<String> set =
        named.stream()
            .flatMap(name -> List.of(model.variable(name), name).stream())
            .filter(name -> !environment.getOrDefault(name, "").isBlank())
            .distinct()
            .toList();
    return model.account().isEmpty() && set.size() > 1
        ? Optional.empty()
        : set.stream().findFirst();
  }

  /** Of a server that has no provider of its own, as in {@code openai-api/NAME/model}. */
  private static String name(ModelName model) {
    int slash = model.model().indexOf('/');
    return slash < 0 ? model.model() : model.model().substring(0, slash);
  }
}
