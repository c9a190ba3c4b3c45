package dev.weir.eval.component;

/**
 * An argument that a component takes.
 *
 * @param name as it is written, with underscores
 * @param kind what may be given
 * @param description for people, with the default: completes the line that begins with the name
 * @param required whether there is no default
 */
public record Parameter(String name, Kind kind, String description, boolean required) {

  /** What may be given for an argument. */
  public enum Kind {
    TEXT,
    WHOLE,
    NUMBER,
    FLAG,
    /** A list of texts, or one text. */
    TEXTS,
    /** A mapping. */
    MAPPING,
    /** A list of anything. */
    LIST,
    /** Anything. */
    ANY
  }

  public static Parameter required(String name, Kind kind, String description) {
    return new Parameter(name, kind, description, true);
  }

  public static Parameter optional(String name, Kind kind, String description) {
    return new Parameter(name, kind, description, false);
  }
}
