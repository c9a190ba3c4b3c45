package dev.weir.limits;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What limits belong to: a model of an account at an engine.
 *
 * @param engine who serves it: {@code "openai"}
 * @param account a fingerprint of credential and base address, never the credential itself; empty
 *     if there is but one
 * @param family the name under which the provider pools this model's quota with that of others, if
 *     it does
 * @param model as the engine names it
 */
public record LimitKey(String engine, String account, Optional<String> family, String model) {

  public LimitKey {
    if (engine.isBlank() || model.isBlank()) {
      throw new IllegalArgumentException(
          "`engine` and `model` must not be blank, were '%s' and '%s'".formatted(engine, model));
    }
  }

  /** A model whose quota is its own. */
  public static LimitKey of(String engine, String account, String model) {
    return new LimitKey(engine, account, Optional.empty(), model);
  }

  /** A name such as {@code openai/gpt-4o}, of the only account. */
  public static LimitKey named(String name) {
    int slash = name.indexOf('/');
    return slash < 1 || slash == name.length() - 1
        ? of(name, "", name)
        : of(name.substring(0, slash), "", name.substring(slash + 1));
  }

  /** The scope of everything that this account asks of its engine. */
  String accountScope() {
    return account.isEmpty() ? escaped(engine) : escaped(engine) + "@" + escaped(account);
  }

  /** The scope that several models share. */
  Optional<String> familyScope() {
    return family.map(name -> accountScope() + "#" + name);
  }

  /** The scope of the model alone; also the name of its lane. */
  String modelScope() {
    return accountScope() + "/" + model;
  }

  /**
   * The scope that learns in mode {@code pace}: that of the family where the provider pools models,
   * else that of the model. What was learned is kept and recalled under this name.
   */
  public String learningScope() {
    return familyScope().orElseGet(this::modelScope);
  }

  /**
   * The scopes that its calls pass, as notices name them: that of its account, that of its family
   * if it has one, and its own.
   */
  public List<String> scopes() {
    return Stream.of(Optional.of(accountScope()), familyScope(), Optional.of(modelScope()))
        .flatMap(Optional::stream)
        .toList();
  }

  /** Different keys must not come to the same name; models often have slashes of their own. */
  private static String escaped(String part) {
    return part.replace("%", "%25").replace("/", "%2F").replace("@", "%40").replace("#", "%23");
  }
}
