package dev.weir.model;

/**
 * The form an answer must have.
 *
 * @param name what the provider calls it by: letters, digits, {@code _} and {@code -}
 * @param schema a JSON schema
 * @param strict whether the provider is to enforce it, where it can
 */
public record ResponseSchema(String name, String schema, boolean strict) {}
