package dev.weir.model;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A model as people name it: {@code provider/model}, or {@code provider@account/model} where a run
 * uses several accounts of one provider. Those that are configured in a file may be written with a
 * colon, {@code exec:model.yaml}, which is {@code exec/model.yaml}.
 *
 * @param provider the part before the first slash, without the account
 * @param account which of several accounts, if not the usual one; else empty
 * @param model everything after it; the provider gives it a meaning
 */
public record ModelName(String provider, String account, String model) {

  private static final Set<String> CONFIGURED_IN_A_FILE = Set.of("exec", "http");

  private static final Pattern ACCOUNT = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]*");

  /** Of the usual account. */
  public ModelName(String provider, String model) {
    this(provider, "", model);
  }

  public static ModelName parse(String text) {
    int colon = text.indexOf(':');
    if (colon > 0
        && colon < text.length() - 1
        && CONFIGURED_IN_A_FILE.contains(text.substring(0, colon))) {
      return new ModelName(text.substring(0, colon), text.substring(colon + 1));
    }
    int slash = text.indexOf('/');
    if (slash < 1 || slash == text.length() - 1) {
      throw new ConfigurationException(
          "model '%s' is not of the form provider/model%s"
              .formatted(
                  text,
                  suggested(text)
                      .map("; did you mean '%s'?"::formatted)
                      .orElse(", for example sim/demo")));
    }
    String provider = text.substring(0, slash);
    String model = text.substring(slash + 1);
    int at = provider.indexOf('@');
    if (at < 0) {
      return new ModelName(provider, model);
    }
    String account = provider.substring(at + 1);
    if (at == 0 || !ACCOUNT.matcher(account).matches()) {
      throw new ConfigurationException(
          "model '%s' is not of the form provider@account/model; an account is named with letters, digits, '-' and '_'"
              .formatted(text));
    }
    return new ModelName(provider.substring(0, at), account, model);
  }

  /**
   * The model that is probably meant by a name that lacks its provider: {@code openai/gpt-4o} for
   * {@code gpt-4o}.
   */
  public static Optional<ModelName> suggested(String text) {
    return ModelFamilies.find(text);
  }

  /** The model without what follows a colon: {@code demo} of {@code sim/demo:rpm=60}. */
  public String plain() {
    int colon = model.indexOf(':');
    return colon < 0 ? model : model.substring(0, colon);
  }

  /**
   * What follows a colon, for providers that take arguments there: {@code rpm=60} of {@code
   * sim/demo:rpm=60}.
   *
   * @throws ConfigurationException if that is not of the form {@code key=value,key=value}
   */
  public Map<String, String> argumentsInName() {
    int colon = model.indexOf(':');
    Map<String, String> arguments = new LinkedHashMap<>();
    if (colon < 0) {
      return arguments;
    }
    for (String pair : model.substring(colon + 1).split(",", -1)) {
      int equals = pair.indexOf('=');
      if (equals < 1) {
        throw new ConfigurationException(
            "model '%s': '%s' is not of the form key=value, as in sim/demo:accuracy=0.7"
                .formatted(this, pair));
      }
      arguments.put(pair.substring(0, equals).strip(), pair.substring(equals + 1).strip());
    }
    return arguments;
  }

  /** The same model of the usual account. */
  public ModelName withoutAccount() {
    return account.isEmpty() ? this : new ModelName(provider, model);
  }

  /** The part before the first slash: {@code openai@team-b}. */
  public String place() {
    return account.isEmpty() ? provider : provider + "@" + account;
  }

  /**
   * The variable that holds something for the account: {@code OPENAI_API_KEY_TEAM_B} for {@code
   * OPENAI_API_KEY}.
   */
  public String variable(String usual) {
    return account.isEmpty()
        ? usual
        : usual + "_" + account.toUpperCase(Locale.ROOT).replace('-', '_');
  }

  @Override
  public String toString() {
    return place() + "/" + model;
  }
}
