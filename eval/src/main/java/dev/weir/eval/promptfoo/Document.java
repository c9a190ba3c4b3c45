package dev.weir.eval.promptfoo;

import dev.weir.model.ConfigurationException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A file of a configuration with everything put in: {@code {{env.NAME}}} is the variable, {@code
 * $ref} what it refers to.
 */
final class Document {

  private static final Pattern ENV =
      Pattern.compile(
          "\\{\\{-?\\s*env(?:\\.(\\w+)|\\[['\"](\\w+)['\"]])\\s*"
              + "(?:\\|\\s*default\\(\\s*(?:'([^']*)'|\"([^\"]*)\")[^)]*\\)\\s*)?-?}}");
  private static final String REF = "$ref";
  private static final int LONGEST_CHAIN = 50;

  private final Value root;
  private final Map<String, String> environment;
  private final Problems problems;
  private final Set<String> referred = new HashSet<>();

  private Document(Value root, Map<String, String> environment, Problems problems) {
    this.root = root;
    this.environment = environment;
    this.problems = problems;
  }

  /** The top of a configuration, and which of its keys are there only to be referred to. */
  record Loaded(Value root, Set<String> referred) {}

  /**
   * @throws ConfigurationException if the file cannot be read
   */
  static Loaded load(Path file, Map<String, String> environment, Problems problems) {
    Value read = YamlReader.read(file);
    var document = new Document(read, environment, problems);
    Value whole = document.resolved(read, 0);
    document.referred.addAll(YamlReader.anchored(file));
    return new Loaded(whole, document.referred);
  }

  /** A file that the configuration names. */
  static Value part(Path file, Map<String, String> environment, Problems problems) {
    Value read = YamlReader.read(file);
    return new Document(read, environment, problems).resolved(read, 0);
  }

  /** The text of a file that the configuration names. */
  static String filled(String text, Path file, Map<String, String> environment, Problems problems) {
    return filled(text, environment, name -> problems.add(Place.of(file), unset(name)));
  }

  private static String unset(String name) {
    return "the variable %s is not set in the environment".formatted(name);
  }

  /** The variables with those that the configuration sets laid over them. */
  static Map<String, String> environment(Value root, Map<String, String> process) {
    Map<String, String> variables = new LinkedHashMap<>(process);
    root.member("env")
        .ifPresent(
            env ->
                env.entries()
                    .forEach(
                        (name, value) ->
                            value
                                .text()
                                .ifPresent(
                                    text -> variables.put(name, filled(text, process, _ -> {})))));
    return variables;
  }

  private Value resolved(Value value, int chain) {
    if (value.isMapping()) {
      Optional<Value> target = target(value, chain).map(found -> resolved(found, chain + 1));
      if (target.isPresent() && value.entries().size() == 1) {
        return target.get();
      }
      Map<String, Value> entries = new LinkedHashMap<>();
      value
          .entries()
          .forEach(
              (key, member) ->
                  entries.put(
                      key, key.equals("headers") ? unrevealed(member) : resolved(member, chain)));
      var own = new Value(entries, value.place(), value.keys());
      return target.filter(Value::isMapping).map(found -> changed(found, own)).orElse(own);
    }
    if (value.isList()) {
      List<Value> members = new ArrayList<>();
      value.members().forEach(member -> members.add(resolved(member, chain)));
      return new Value(members, value.place(), Map.of());
    }
    return value.data() instanceof String text
        ? Value.of(
            filled(text, environment, name -> problems.add(value.place(), unset(name))),
            value.place())
        : value;
  }

  /** Headers hold credentials: whoever sends them puts variables in, and never shows them. */
  private static Value unrevealed(Value headers) {
    Map<String, Value> entries = new LinkedHashMap<>();
    headers
        .entries()
        .forEach(
            (name, value) ->
                entries.put(
                    name,
                    value.data() instanceof String text
                        ? Value.of(
                            ENV.matcher(text)
                                .replaceAll(
                                    match ->
                                        Matcher.quoteReplacement(
                                            "${%s}"
                                                .formatted(
                                                    match.group(1) == null
                                                        ? match.group(2)
                                                        : match.group(1)))),
                            value.place())
                        : value));
    return headers.isMapping() ? new Value(entries, headers.place(), headers.keys()) : headers;
  }

  /** What is referred to, with what stands beside the reference laid over it. */
  private static Value changed(Value target, Value beside) {
    Map<String, Value> entries = new LinkedHashMap<>(target.entries());
    entries.putAll(beside.entries());
    entries.remove(REF);
    Map<String, Place> keys = new LinkedHashMap<>(target.keys());
    keys.putAll(beside.keys());
    return new Value(entries, beside.place(), keys);
  }

  /** What a mapping with a reference refers to; that of a JSON schema is its own. */
  private Optional<Value> target(Value value, int chain) {
    Optional<String> reference = value.member(REF).flatMap(Value::text);
    // The whole is what a schema means that contains itself.
    if (reference.isEmpty() || reference.get().equals("#")) {
      return Optional.empty();
    }
    if (chain > LONGEST_CHAIN) {
      problems.add(value.place(), "the reference '%s' has no end".formatted(reference.get()));
      return Optional.empty();
    }
    int hash = reference.get().indexOf('#');
    String file = hash < 0 ? reference.get() : reference.get().substring(0, hash);
    String pointer = hash < 0 ? "" : reference.get().substring(hash + 1);
    Value from = root;
    if (file.isEmpty()) {
      Stream.of(pointer.split("/", -1)).skip(1).findFirst().ifPresent(referred::add);
    } else {
      try {
        from =
            YamlReader.read(
                value.place().directory().resolve(file.replaceFirst("^file://", "")).normalize());
      } catch (ConfigurationException unreadable) {
        problems.add(value.place(), String.valueOf(unreadable.getMessage()));
        return Optional.empty();
      }
    }
    Optional<Value> found = Optional.of(from);
    for (String step : pointer.split("/", -1)) {
      String key = step.replace("~1", "/").replace("~0", "~");
      found = key.isEmpty() ? found : found.flatMap(at -> step(at, key));
    }
    return found;
  }

  private static Optional<Value> step(Value at, String key) {
    if (at.isList() && key.matches("\\d{1,6}") && Integer.parseInt(key) < at.members().size()) {
      return Optional.of(at.members().get(Integer.parseInt(key)));
    }
    return at.member(key);
  }

  private static String filled(
      String text, Map<String, String> environment, java.util.function.Consumer<String> missing) {
    if (!text.contains("{{")) {
      return text;
    }
    return ENV.matcher(text)
        .replaceAll(match -> Matcher.quoteReplacement(variable(match, environment, missing)));
  }

  private static String variable(
      java.util.regex.MatchResult match,
      Map<String, String> environment,
      java.util.function.Consumer<String> missing) {
    String name = match.group(1) == null ? match.group(2) : match.group(1);
    String otherwise = match.group(3) == null ? match.group(4) : match.group(3);
    String set = environment.get(String.valueOf(name));
    if (set != null) {
      return set;
    }
    if (otherwise == null) {
      missing.accept(String.valueOf(name));
      return "";
    }
    return otherwise;
  }
}
