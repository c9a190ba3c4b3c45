package dev.weir.eval.template;

import dev.weir.model.ConfigurationException;
import dev.weir.model.Printable;
import dev.weir.model.Spelling;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A text with variables, as in Jinja:
 *
 * <pre>
 * Answer in {{ language }}: {{ prompt }}
 * {% for choice in choices %}{{ loop.index }}. {{ choice | trim }}
 * {% endfor %}
 * </pre>
 *
 * <p>Variables are texts, numbers, booleans, lists and maps of them; anything else is taken as its
 * text, and null as no text at all. A text with plain variables alone, {@code {{ a }}} or {@code {{
 * a.b }}}, is put together here; only tags, filters and comments load the Jinja engine, which takes
 * half a second. Nothing in a template reaches files, classes or the clock, and its output, depth
 * and loops are bounded.
 *
 * <p>Immutable and thread-safe.
 */
public final class Template {

  private static final Pattern MARK = Pattern.compile("\\{\\{|\\{%|\\{#");
  private static final Pattern PLAIN =
      Pattern.compile("\\{\\{\\s*([A-Za-z_]\\w*(?:\\.\\w+)*)\\s*}}");

  /** Words that mean something to Jinja, and so are no variables. */
  private static final Set<String> RESERVED =
      Set.of("true", "false", "none", "null", "True", "False", "None");

  private final String text;
  private final TextPlace place;
  private final Map<String, @Nullable Object> defaults;

  /** What stands between variables; one more than there are variables. */
  private final List<String> texts;

  private final List<Variable> variables;

  /** Whether it takes the Jinja engine. */
  private final boolean jinja;

  private record Variable(String path, int offset) {}

  private Template(
      String text,
      TextPlace place,
      Map<String, @Nullable Object> defaults,
      List<String> texts,
      List<Variable> variables,
      boolean jinja) {
    this.text = text;
    this.place = place;
    this.defaults = defaults;
    this.texts = texts;
    this.variables = variables;
    this.jinja = jinja;
  }

  /**
   * @param place where the text stands, for people: {@code "task.yaml, line 3, column 7"}
   * @throws ConfigurationException if it is no template, with that place
   */
  public static Template of(String text, String place) {
    return of(text, TextPlace.of(place));
  }

  /**
   * @throws ConfigurationException if it is no template, with the place of what is wrong
   */
  public static Template of(String text, TextPlace place) {
    List<String> texts = new ArrayList<>();
    List<Variable> variables = new ArrayList<>();
    Matcher mark = MARK.matcher(text);
    Matcher plain = PLAIN.matcher(text);
    int from = 0;
    while (mark.find(from)) {
      if (!plain.find(mark.start())
          || plain.start() != mark.start()
          || RESERVED.contains(plain.group(1))) {
        JinjaEngine.check(text, place);
        return new Template(text, place, Map.of(), List.of(), List.of(), true);
      }
      texts.add(text.substring(from, mark.start()));
      variables.add(new Variable(plain.group(1), mark.start()));
      from = plain.end();
    }
    texts.add(text.substring(from));
    return new Template(text, place, Map.of(), List.copyOf(texts), List.copyOf(variables), false);
  }

  /** The same text, with variables that are there unless {@link #render} is given others. */
  public Template with(Map<String, ? extends @Nullable Object> known) {
    return new Template(
        text,
        place,
        Collections.unmodifiableMap(new LinkedHashMap<>(known)),
        texts,
        variables,
        jinja);
  }

  /** The plain variables in it, without members; empty if it has tags or filters. */
  public Set<String> names() {
    Set<String> names = new LinkedHashSet<>();
    variables.forEach(variable -> names.add(root(variable.path())));
    return names;
  }

  /**
   * @throws ConfigurationException if a variable is not there, with its name and the nearest known
   *     one; or if the template cannot be rendered. Values are never in the message.
   */
  public String render(Map<String, ? extends @Nullable Object> given) {
    Map<String, @Nullable Object> known = new LinkedHashMap<>(defaults);
    known.putAll(given);
    if (jinja) {
      return JinjaEngine.render(text, place, known);
    }
    var rendered = new StringBuilder(texts.getFirst());
    for (int i = 0; i < variables.size(); i++) {
      @Nullable Object value = find(variables.get(i), known);
      if (value instanceof Map || value instanceof Iterable) {
        // As Jinja writes them.
        return JinjaEngine.render(text, place, known);
      }
      rendered.append(value == null ? "" : value).append(texts.get(i + 1));
    }
    return rendered.toString();
  }

  /** Whether rendering it takes the Jinja engine, and its time. */
  public boolean needsEngine() {
    return jinja;
  }

  /** Says which variable it names that is not there, if there is one. */
  public Optional<ConfigurationException> missing(Map<String, ? extends @Nullable Object> given) {
    Map<String, @Nullable Object> known = new LinkedHashMap<>(defaults);
    known.putAll(given);
    if (jinja) {
      return JinjaEngine.missing(text, place, known);
    }
    try {
      variables.forEach(variable -> find(variable, known));
      return Optional.empty();
    } catch (ConfigurationException missing) {
      return Optional.of(missing);
    }
  }

  /**
   * Looks whether a text can be rendered as Nunjucks does: its tags, filters and tests.
   *
   * @param place where it stands, for people
   * @throws ConfigurationException if it is no template, or has an unknown filter or test
   */
  public static void checkLeniently(String text, String place) {
    JinjaEngine.checkLeniently(text, TextPlace.of(place));
  }

  /**
   * Renders a text as Nunjucks does: what is not there is nothing, and there are the filters {@code
   * dump}, {@code nl2br} and promptfoo's {@code load}. An unknown filter or test is an error. Shut
   * in and bounded as all templates are.
   *
   * @throws ConfigurationException if it is no template, or cannot be rendered
   */
  public static String renderLeniently(
      String text, String place, Map<String, @Nullable Object> given) {
    return JinjaEngine.renderLeniently(text, TextPlace.of(place), given);
  }

  private @Nullable Object find(Variable variable, Map<String, @Nullable Object> known) {
    @Nullable Object value = known;
    StringBuilder reached = new StringBuilder();
    int from = 0;
    while (from <= variable.path().length()) {
      int dot = variable.path().indexOf('.', from);
      int to = dot < 0 ? variable.path().length() : dot;
      String name = variable.path().substring(from, to);
      if (value instanceof List<?> list && isIndex(name, list.size())) {
        value = list.get(Integer.parseInt(name));
      } else if (value instanceof Map<?, ?> map && map.containsKey(name)) {
        value = map.get(name);
      } else {
        throw missing(
            place,
            text,
            variable.offset(),
            reached.toString(),
            name,
            value instanceof Map<?, ?> map ? map : Map.of());
      }
      reached.append(reached.isEmpty() ? "" : ".").append(name);
      from = to + 1;
    }
    return value;
  }

  private static boolean isIndex(String name, int size) {
    return name.matches("\\d{1,9}") && Integer.parseInt(name) < size;
  }

  /**
   * @param of the path of what has no such member; empty for a variable
   */
  static ConfigurationException missing(
      TextPlace place, String text, int offset, String of, String name, Map<?, ?> known) {
    List<String> names = known.keySet().stream().map(String::valueOf).sorted().toList();
    return problem(
        place,
        text,
        offset,
        (of.isEmpty()
                ? "there is no variable '%s'".formatted(name)
                : "'%s' has no '%s'".formatted(of, name))
            + Spelling.withAll("There are", name, names));
  }

  static ConfigurationException problem(TextPlace place, String text, int offset, String problem) {
    Optional<String> exact = place.parts().placeOf(offset);
    if (exact.isPresent()) {
      return new ConfigurationException("%s: %s".formatted(exact.get(), Printable.line(problem)));
    }
    String before = text.substring(0, Math.clamp(offset, 0, text.length()));
    long line = before.chars().filter(c -> c == '\n').count() + 1;
    int column = before.length() - before.lastIndexOf('\n');
    return new ConfigurationException(
        "%s: %s (line %s, column %s of the template)"
            .formatted(place.words(), Printable.line(problem), line, column));
  }

  private static String root(String path) {
    int dot = path.indexOf('.');
    return dot < 0 ? path : path.substring(0, dot);
  }

  /** The text as it was written. */
  @Override
  public String toString() {
    return text;
  }
}
