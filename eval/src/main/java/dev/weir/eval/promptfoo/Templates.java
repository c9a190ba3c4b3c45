package dev.weir.eval.promptfoo;

import dev.weir.eval.template.Template;
import dev.weir.model.ConfigurationException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Fills templates as promptfoo does: an unknown variable is nothing. Most templates are texts with
 * plain gaps, which are filled here; what has tags or filters is left to the shut-in engine of all
 * templates. What is put in is never taken for a template. Thread-safe.
 */
final class Templates {

  private static final Pattern PLAIN_GAP =
      Pattern.compile("\\{\\{-?\\s*([\\w$]+(?:\\.\\w+)*)\\s*-?}}");

  /** Nunjucks goes through the members of a mapping this way; Jinja wants its items. */
  private static final Pattern PAIRS =
      Pattern.compile("(\\{%-?\\s*for\\s+\\w+\\s*,\\s*\\w+\\s+in\\s+)([\\w.]+)(\\s*-?%})");

  private static final String ENV = "env";

  /** For what may come from data: {@code {{env.NAME}}} stays as it is, so that no key gets out. */
  static final Templates WITHOUT_ENVIRONMENT = new Templates(Optional.empty());

  private final Optional<Map<String, String>> environment;

  /** For the configuration's own text, which may speak of the environment. */
  Templates(Map<String, String> environment) {
    this(Optional.of(environment));
  }

  private Templates(Optional<Map<String, String>> environment) {
    this.environment = environment;
  }

  /** Whether a text is the same whatever the variables are. */
  static boolean isConstant(String text) {
    return !text.contains("{{") && !text.contains("{%") && !text.contains("{#");
  }

  /** The same of each text within lists and mappings. */
  static boolean isConstant(Value value) {
    return value.text().map(Templates::isConstant).orElse(true)
        && value.members().stream().allMatch(Templates::isConstant)
        && value.entries().keySet().stream().allMatch(Templates::isConstant)
        && value.entries().values().stream().allMatch(Templates::isConstant);
  }

  /**
   * Tells of templates that cannot be filled, also within lists and mappings: an unknown filter
   * would otherwise show when a model has answered, if ever.
   *
   * @param key what the value belongs to
   */
  static void check(Value value, String key, Problems problems) {
    value.members().forEach(member -> check(member, key, problems));
    value
        .entries()
        .forEach(
            (name, member) -> {
              check(name, value.placeOf(name), key, problems);
              check(member, key, problems);
            });
    value.text().ifPresent(text -> check(text, value.place(), key, problems));
  }

  static void check(String text, Place place, String key, Problems problems) {
    if (isPlain(text)) {
      return;
    }
    try {
      Template.checkLeniently(text, "%s: `%s`".formatted(place, key));
    } catch (ConfigurationException unusable) {
      problems.add(String.valueOf(unusable.getMessage()));
    }
  }

  /**
   * @throws ConfigurationException if it is no template
   */
  String render(String template, Map<String, @Nullable Object> variables) {
    if (isConstant(template)) {
      return template;
    }
    if (isPlain(template)) {
      return fillGaps(template, name -> !name.equals(ENV) || knows(name, variables), variables);
    }
    String pairs = PAIRS.matcher(template).replaceAll("$1($2 is mapping ? $2.items() : $2)$3");
    return Template.renderLeniently(pairs, "a template", context(variables));
  }

  /** Fills the plain gaps of data that name other variables; everything else stays as it is. */
  static String renderData(String data, Map<String, @Nullable Object> variables) {
    return WITHOUT_ENVIRONMENT.fillGaps(data, variables::containsKey, variables);
  }

  private String fillGaps(
      String template, Predicate<String> isFilled, Map<String, @Nullable Object> variables) {
    return PLAIN_GAP
        .matcher(template)
        .replaceAll(
            gap -> {
              String path = String.valueOf(gap.group(1));
              String root = path.replaceFirst("\\..*", "");
              return Matcher.quoteReplacement(
                  isFilled.test(root) ? shown(lookup(path, variables)) : gap.group());
            });
  }

  private boolean knows(String name, Map<String, @Nullable Object> variables) {
    return variables.containsKey(name) || environment.isPresent();
  }

  /** Each text within lists and mappings, too. */
  @Nullable Object renderAll(@Nullable Object plain, Map<String, @Nullable Object> variables) {
    return switch (plain) {
      case String text -> render(text, variables);
      case List<?> list -> {
        List<@Nullable Object> members = new ArrayList<>();
        list.forEach(member -> members.add(renderAll(member, variables)));
        yield members;
      }
      case Map<?, ?> map -> {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        map.forEach(
            (key, value) ->
                members.put(render(String.valueOf(key), variables), renderAll(value, variables)));
        yield members;
      }
      case null -> null;
      default -> plain;
    };
  }

  private static boolean isPlain(String template) {
    return !template.contains("{%")
        && !template.contains("{#")
        && !PLAIN_GAP.matcher(template).replaceAll("").contains("{{");
  }

  private @Nullable Object lookup(String path, Map<String, @Nullable Object> variables) {
    @Nullable Object at = null;
    boolean first = true;
    for (String step : path.split("\\.", -1)) {
      if (first) {
        at =
            variables.containsKey(step) || !step.equals(ENV)
                ? variables.get(step)
                : environment.orElse(null);
        first = false;
      } else {
        at = at instanceof Map<?, ?> map ? map.get(step) : item(at, step);
      }
    }
    return at;
  }

  private static @Nullable Object item(@Nullable Object list, String step) {
    if (!(list instanceof List<?> items)) {
      return list instanceof String text && step.equals("length") ? text.length() : null;
    }
    if (step.equals("length")) {
      return items.size();
    }
    return step.matches("\\d{1,6}") && Integer.parseInt(step) < items.size()
        ? items.get(Integer.parseInt(step))
        : null;
  }

  private static String shown(@Nullable Object value) {
    return switch (value) {
      case null -> "";
      case Map<?, ?> map -> Json.write(map);
      case List<?> list -> Json.write(list);
      default -> Json.scalarText(value);
    };
  }

  private Map<String, @Nullable Object> context(Map<String, @Nullable Object> variables) {
    Map<String, @Nullable Object> context = new LinkedHashMap<>();
    environment.ifPresent(known -> context.put(ENV, known));
    variables.forEach((name, value) -> context.put(name, value));
    return context;
  }
}
