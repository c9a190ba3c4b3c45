package dev.weir.model.engine;

import dev.weir.model.ConfigurationException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Variables whose value stands in a file, as orchestrators mount secrets: {@code
 * OPENAI_API_KEY_FILE} names the file that holds the value of {@code OPENAI_API_KEY}.
 */
public final class FileVariables {

  private static final String ENDING = "_FILE";

  /** Those of Weir, and those that providers take credentials and addresses from. */
  private static final Pattern OURS =
      Pattern.compile(
          "(?:WEIR|AIGW)_\\w+|(?:\\w+_)?(?:API_KEY|ACCESS_KEY(?:_ID)?|TOKEN|SECRET|BASE_URL|ENDPOINT)(?:_\\w+)?"
              + "|OTEL_EXPORTER_OTLP_(?:\\w+_)?HEADERS");

  private static final Pattern OWN = Pattern.compile("(?:WEIR|AIGW)_\\w+");

  /** Read by Amazon's and Azure's own rules, and not what they seem to be called after. */
  private static final Set<String> OTHERS =
      Set.of(
          "AWS_WEB_IDENTITY_TOKEN_FILE",
          "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
          "AZURE_FEDERATED_TOKEN_FILE");

  private FileVariables() {}

  /**
   * The same variables, with those that stand in files.
   *
   * @throws ConfigurationException if such a file cannot be read, or a variable is given twice; it
   *     repeats nothing of what the file holds
   */
  public static Map<String, String> resolved(Map<String, String> environment) {
    Map<String, String> all = new HashMap<>(environment);
    for (String variable : environment.keySet()) {
      base(variable)
          .filter(_ -> !environment.getOrDefault(variable, "").isBlank())
          .ifPresent(
              name -> {
                if (!environment.getOrDefault(name, "").isEmpty()) {
                  if (!OWN.matcher(name).matches()) {
                    // Other programs may have a rule of their own for both.
                    return;
                  }
                  throw new ConfigurationException(
                      "%s and %s are both set; unset one of them".formatted(name, variable));
                }
                all.put(name, value(variable, environment));
              });
    }
    return all;
  }

  /**
   * The credentials and addresses of providers that stand in files, to be read again when one is
   * rejected.
   *
   * @param environment as {@link #resolved} gives it
   */
  public static Followed followed(Map<String, String> environment) {
    Set<String> names = new TreeSet<>();
    for (String variable : environment.keySet()) {
      base(variable)
          .filter(name -> !OWN.matcher(name).matches())
          .filter(_ -> !environment.getOrDefault(variable, "").isBlank())
          .filter(name -> isFromFile(name, environment))
          .ifPresent(names::add);
    }
    return new Followed(names);
  }

  /** Else the variable itself was set, and wins. */
  private static boolean isFromFile(String name, Map<String, String> environment) {
    try {
      return value(name + ENDING, environment).equals(environment.get(name));
    } catch (ConfigurationException unreadable) {
      return false;
    }
  }

  /**
   * Variables whose values stand in files, and change with them.
   *
   * @param names without {@code _FILE}
   */
  public record Followed(Set<String> names) {

    public Followed {
      names = Set.copyOf(names);
    }

    public boolean isEmpty() {
      return names.isEmpty();
    }

    /**
     * The same variables with what the files hold now.
     *
     * @throws ConfigurationException if one cannot be read; it repeats nothing of what it holds
     */
    public Map<String, String> read(Map<String, String> environment) {
      Map<String, String> now = new HashMap<>(environment);
      names.forEach(name -> now.put(name, value(name + ENDING, environment)));
      return now;
    }
  }

  /** The variable whose value a file holds, if that is what a name says. */
  private static Optional<String> base(String variable) {
    if (!variable.endsWith(ENDING) || OTHERS.contains(variable)) {
      return Optional.empty();
    }
    return Optional.of(variable.substring(0, variable.length() - ENDING.length()))
        .filter(name -> OURS.matcher(name).matches());
  }

  /** The file of a variable, if it stands in one. */
  static Optional<Path> file(String name, Map<String, String> environment) {
    return Optional.ofNullable(environment.get(name + ENDING))
        .filter(path -> !path.isBlank())
        .map(path -> path(name + ENDING, path));
  }

  /** As the file has it now. */
  private static String value(String variable, Map<String, String> environment) {
    Path file = path(variable, environment.getOrDefault(variable, ""));
    // Editors and `echo` end a file with a line break that is no part of a key.
    String value = SecretFile.text(variable + ": the file that it names", file).strip();
    if (value.isEmpty()) {
      // Perhaps it is being written: limits must not vanish meanwhile.
      throw new ConfigurationException("%s: the file that it names is empty".formatted(variable));
    }
    return value;
  }

  /** The same variables with the newest value of one that stands in a file. */
  static Map<String, String> refreshed(Map<String, String> environment, String name) {
    if (file(name, environment).isEmpty()) {
      return environment;
    }
    Map<String, String> all = new HashMap<>(environment);
    all.put(name, value(name + ENDING, environment));
    return all;
  }

  private static Path path(String variable, String word) {
    try {
      return Path.of(word);
    } catch (InvalidPathException wrong) {
      throw new ConfigurationException("%s is not a path of a file".formatted(variable), wrong);
    }
  }
}
