package dev.weir.eval.option;

import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Takes credentials out of words that are shown or kept. Immutable.
 *
 * <p>Whether a short value is a credential depends on how it came into a word: what a task file
 * took from a variable is one at any length where it is the whole word, and from four characters on
 * within others. Of the other variables nobody knows whether they are used at all, and their values
 * may be ordinary words ({@code OPENAI_API_KEY=none}): those count from eight characters on.
 */
public final class Secrets {

  /** Hides what is called a credential, and no values. */
  public static final Secrets NONE = new Secrets(Set.of(), List.of());

  private static final String HIDDEN = "…";

  /** Shorter words and numbers may stand anywhere without being a credential. */
  private static final int SHORTEST = 8;

  /** Shorter values would be found in everything. */
  private static final int SHORTEST_WITHIN = 4;

  private static final Pattern ORDINARY = Pattern.compile("[A-Z]?[a-z]+|[A-Z]+|[\\d.]+");

  /** What variables with credentials are called. */
  private static final Pattern NAMES =
      Pattern.compile("(?i).*(key|token|secret|passw|passphrase|credential|auth|cookie).*");

  /** A part of the name says so: TOKENIZERS_PARALLELISM holds none, whatever it is. */
  private static final Pattern CLEAR_NAMES =
      Pattern.compile(
          "(?i).*(key|token|secret|passw(or)?d|passphrase|credential|auth|cookie)s?(_.*)?");

  /** Those of options hold none, though WEIR_TOKEN_LIMIT is called like it. */
  private static final Set<String> OPTIONS =
      Options.all().stream().map(Option::variable).collect(Collectors.toUnmodifiableSet());

  private static final String KEY =
      "[\\w-]*(?:(?:api|access|private)[_-]?key|token|secret|passw(?:or)?d|passphrase|authorization)";

  /** What stands behind such a key is nobody's business. */
  private static final Pattern KEYS = Pattern.compile("(?i)" + KEY);

  private static final Pattern NAMED =
      Pattern.compile(
          "(?i)(\"?" + KEY + "\"?\\s*[=:]\\s*)(\"(?:[^\"\\\\]|\\\\.)*\"|[^,}\\s]+)",
          Pattern.DOTALL);

  private static final Pattern USER_INFO = Pattern.compile("//[^/@\\s]*@");

  private static final Pattern BLANK = Pattern.compile("\\s");

  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS).build();

  /** Hidden where there is nothing else. */
  private final Set<String> wholes;

  /** Hidden within other words, too; the longest first. */
  private final List<String> values;

  private Secrets(Set<String> wholes, Collection<String> values) {
    this.wholes = Set.copyOf(wholes);
    // One may be the beginning of another, whose rest would stay.
    this.values =
        values.stream()
            .distinct()
            .sorted(Comparator.comparingInt(String::length).reversed())
            .toList();
  }

  /**
   * @param environment variables, credentials among them
   */
  public Secrets(Map<String, String> environment) {
    this(Set.of(), valuesOf(environment, Secrets::isCredential));
  }

  /**
   * @param variables that were put into words
   */
  public static Secrets filledIn(Map<String, String> variables) {
    Set<String> wholes = valuesOf(variables, (name, _) -> CLEAR_NAMES.matcher(name).matches());
    Set<String> values = valuesOf(variables, Secrets::isCredential);
    wholes.stream().filter(value -> value.length() >= SHORTEST_WITHIN).forEach(values::add);
    return new Secrets(wholes, values);
  }

  /**
   * @param arguments of a task, which its words may name
   */
  public static Secrets given(Map<String, String> arguments) {
    Set<String> wholes = valuesOf(arguments, (name, _) -> KEYS.matcher(name).matches());
    return new Secrets(
        wholes, wholes.stream().filter(value -> value.length() >= SHORTEST_WITHIN).toList());
  }

  private static Set<String> valuesOf(
      Map<String, String> variables, BiPredicate<String, String> which) {
    Set<String> values = new HashSet<>();
    variables.forEach(
        (name, value) -> {
          if (!value.isEmpty() && !OPTIONS.contains(name) && which.test(name, value)) {
            values.add(value);
          }
        });
    return values;
  }

  private static boolean isCredential(String name, String value) {
    return value.length() >= SHORTEST
        ? NAMES.matcher(name).matches()
        : value.length() >= SHORTEST_WITHIN
            && CLEAR_NAMES.matcher(name).matches()
            && !ORDINARY.matcher(value).matches();
  }

  /** Hides what both hide. */
  public Secrets and(Secrets other) {
    Set<String> all = new HashSet<>(wholes);
    all.addAll(other.wholes);
    return new Secrets(all, Stream.concat(values.stream(), other.values.stream()).toList());
  }

  /** The same pairs without what may be a credential: by its value, or by its name. */
  public Map<String, String> hidden(Map<String, String> pairs) {
    Map<String, String> shown = new LinkedHashMap<>();
    pairs.forEach(
        (name, value) -> shown.put(name, KEYS.matcher(name).matches() ? HIDDEN : hidden(value)));
    return shown;
  }

  /**
   * What a step of a task was given, without what may be a credential. Sentences lose no more than
   * values of the environment: whoever compares prompts wants to see what is asked.
   *
   * @param arguments texts, numbers, booleans, lists and maps of them
   */
  public Map<String, Object> hiddenArguments(Map<String, Object> arguments) {
    return present(members(arguments, KEYS, this::hiddenArgument));
  }

  /**
   * What is added to a request, without what may be a credential.
   *
   * @param fields as JSON has them
   */
  public Map<String, Object> hiddenFields(Map<String, Object> fields) {
    return present(members(fields, KEYS, this::hiddenText));
  }

  private static Map<String, Object> present(Map<String, @Nullable Object> members) {
    Map<String, Object> present = new LinkedHashMap<>();
    members.forEach(
        (name, value) -> {
          if (value != null) {
            present.put(name, value);
          }
        });
    return present;
  }

  /** Whether something was taken out of a text. */
  public static boolean isHidden(String text) {
    return text.contains(HIDDEN);
  }

  /** Of pairs, those of which nothing was taken out, as one word; absent if there are none. */
  public static Optional<String> withoutHidden(String word) {
    Map<String, String> pairs = new LinkedHashMap<>(Pairs.parse(word).orElse(Map.of()));
    pairs.values().removeIf(Secrets::isHidden);
    return pairs.isEmpty() ? Optional.empty() : Optional.of(Pairs.word(pairs));
  }

  /** The keys of pairs of which something was taken out. */
  public static List<String> hiddenKeys(String word) {
    return Pairs.parse(word).orElse(Map.of()).entrySet().stream()
        .filter(pair -> isHidden(pair.getValue()))
        .map(Map.Entry::getKey)
        .toList();
  }

  /** The keys of all pairs. */
  public static Set<String> keys(String word) {
    return Pairs.parse(word).orElse(Map.of()).keySet();
  }

  /** The same text without what may be a credential. JSON stays JSON. */
  public String hidden(String text) {
    String start = text.stripLeading();
    if (start.startsWith("{") || start.startsWith("[")) {
      try {
        Object tree = JSON.readValue(text, Object.class);
        Object shown = hiddenTree(tree, KEYS, this::hiddenText);
        return tree.equals(shown) ? text : JSON.writeValueAsString(shown);
      } catch (JacksonException notJson) {
        // Then it is a text like any other.
      }
    }
    return hiddenText(hiddenPairs(text));
  }

  /** Values of pairs to their end, which a text in itself does not show. */
  private String hiddenPairs(String text) {
    String shown = text;
    for (Map.Entry<String, String> pair : Pairs.parse(text).orElse(Map.of()).entrySet()) {
      if (wholes.contains(pair.getValue()) || KEYS.matcher(pair.getKey()).matches()) {
        shown =
            Pattern.compile(
                    "(%s\\s*=\\s*)%s"
                        .formatted(Pattern.quote(pair.getKey()), Pattern.quote(pair.getValue())))
                .matcher(shown)
                .replaceAll("$1" + HIDDEN);
      }
    }
    return shown;
  }

  private String hiddenText(String text) {
    if (wholes.contains(text)) {
      return HIDDEN;
    }
    return hiddenValues(
        NAMED
            .matcher(text)
            .replaceAll(
                found ->
                    Matcher.quoteReplacement(
                        found.group(1)
                            + (found.group(2).startsWith("\"") ? "\"" + HIDDEN + "\"" : HIDDEN))));
  }

  /** A word may be {@code --token=…} or an address; in a sentence the same is part of a prompt. */
  private String hiddenArgument(String text) {
    return BLANK.matcher(text).find() ? hiddenValues(text) : hiddenText(text);
  }

  private String hiddenValues(String text) {
    if (wholes.contains(text)) {
      return HIDDEN;
    }
    String shown = USER_INFO.matcher(text).replaceAll("//" + HIDDEN + "@");
    for (String value : values) {
      shown = shown.replace(value, HIDDEN);
    }
    return shown;
  }

  /**
   * @param keys of credentials
   */
  private @Nullable Object hiddenTree(
      @Nullable Object tree, Pattern keys, UnaryOperator<String> hiding) {
    return switch (tree) {
      case Map<?, ?> map -> members(map, keys, hiding);
      case List<?> list -> list.stream().map(item -> hiddenTree(item, keys, hiding)).toList();
      case String text -> hiding.apply(text);
      case Number number -> {
        String text = number.toString();
        yield hiddenValues(text).equals(text) ? number : HIDDEN;
      }
      case null, default -> tree;
    };
  }

  private Map<String, @Nullable Object> members(
      Map<?, ?> map, Pattern keys, UnaryOperator<String> hiding) {
    Map<String, @Nullable Object> shown = new LinkedHashMap<>();
    map.forEach(
        (key, value) -> {
          String name = String.valueOf(key);
          // Its keys are variables.
          Pattern inner = name.equals("env") ? NAMES : KEYS;
          shown.put(
              name,
              keys.matcher(name).matches() && isValue(value)
                  ? HIDDEN
                  : hiddenTree(value, inner, hiding));
        });
    return shown;
  }

  /** A map behind such a key describes it, as the schema of a tool does. */
  private static boolean isValue(@Nullable Object value) {
    return value instanceof String || value instanceof Number || value instanceof List;
  }
}
