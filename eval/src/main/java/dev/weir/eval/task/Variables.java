package dev.weir.eval.task;

import dev.weir.model.ConfigurationException;
import dev.weir.model.Spelling;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/**
 * The values of a task's variables, each of which may name others, in any order. Not thread-safe.
 */
final class Variables {

  private static final Pattern EXPRESSION = Pattern.compile("\\{\\{(.*?)}}", Pattern.DOTALL);
  private static final Pattern NAME = Pattern.compile("[A-Za-z_]\\w*");

  /** Variables of variables could otherwise stand for more than there is memory. */
  private static final int LONGEST = 16 << 20;

  private static final int DEEPEST = 100;

  private final Map<String, Node> nodes;
  private final Map<String, String> given;
  private final Substitution substitution;
  private final Function<String, ConfigurationException> problemWithGiven;
  private final Map<String, @Nullable Object> values = new LinkedHashMap<>();
  private final Deque<String> within = new ArrayDeque<>();

  /** Makes an error of what is wrong, with its place. */
  private interface Place extends Function<String, ConfigurationException> {}

  /**
   * @param nodes what the files say
   * @param given values that win over them, each for a name that the files have
   * @param problemWithGiven an error about one of these
   */
  Variables(
      Map<String, Node> nodes,
      Map<String, String> given,
      Substitution substitution,
      Function<String, ConfigurationException> problemWithGiven) {
    this.nodes = nodes;
    this.given = given;
    this.substitution = substitution;
    this.problemWithGiven = problemWithGiven;
  }

  static boolean isName(String word) {
    return NAME.matcher(word).matches();
  }

  /**
   * By name, in the order of the files.
   *
   * @throws ConfigurationException if one names one that is not there, or itself
   */
  Map<String, @Nullable Object> resolve() {
    Map<String, @Nullable Object> known = new LinkedHashMap<>();
    nodes.forEach((name, node) -> known.put(name, value(name, at(node))));
    return known;
  }

  private static Place at(Node node) {
    return problem -> YamlTree.problem(node, "`vars`: " + problem);
  }

  /**
   * @param from where it is named
   */
  private @Nullable Object value(String name, Place from) {
    if (values.containsKey(name)) {
      return values.get(name);
    }
    if (within.contains(name)) {
      List<String> way = new ArrayList<>(within);
      way.add(name);
      throw from.apply(
          "'%s' stands for itself: %s"
              .formatted(name, String.join(" → ", way.subList(way.indexOf(name), way.size()))));
    }
    Node node = nodes.get(name);
    if (node == null) {
      throw from.apply(
          "there is no variable '%s'%s".formatted(name, Spelling.hint(name, nodes.keySet())));
    }
    if (within.size() >= DEEPEST) {
      throw from.apply("variables name each other more than %d deep".formatted(DEEPEST));
    }
    within.addLast(name);
    Object value = value(name, node);
    within.removeLast();
    values.put(name, value);
    return value;
  }

  private @Nullable Object value(String name, Node node) {
    String word = given.get(name);
    return word == null
        ? YamlTree.value(node, this::scalar)
        : filled(
            YamlFile.typed(word),
            problem -> problemWithGiven.apply("the argument '%s': %s".formatted(name, problem)));
  }

  private @Nullable Object scalar(ScalarNode scalar) {
    String text = substitution.environment(scalar, scalar.getValue());
    Object filled = text(text, at(scalar));
    if (scalar.getValue().equals(filled)) {
      return YamlTree.scalar(scalar);
    }
    return filled instanceof String changed && scalar.getScalarStyle() == ScalarStyle.PLAIN
        ? YamlFile.typed(changed)
        : filled;
  }

  /** A value that was given as JSON may hold texts deeper down. */
  private @Nullable Object filled(@Nullable Object value, Place place) {
    return switch (value) {
      case String text -> text(text, place);
      case List<?> items -> {
        List<@Nullable Object> filled = new ArrayList<>();
        items.forEach(item -> filled.add(filled(item, place)));
        yield filled;
      }
      case Map<?, ?> members -> {
        Map<String, @Nullable Object> filled = new LinkedHashMap<>();
        members.forEach((key, member) -> filled.put(String.valueOf(key), filled(member, place)));
        yield filled;
      }
      case null, default -> value;
    };
  }

  /** A text with the variables in it; whatever a variable is, if the text is nothing but one. */
  private @Nullable Object text(String text, Place place) {
    Matcher only = EXPRESSION.matcher(text.strip());
    if (only.matches() && isName(only.group(1).strip())) {
      return value(only.group(1).strip(), place);
    }
    var filled = new StringBuilder();
    Matcher expression = EXPRESSION.matcher(text);
    while (expression.find()) {
      String part = part(expression.group(1).strip(), place);
      if (filled.length() + part.length() > LONGEST) {
        throw place.apply("variables make a text of more than %d letters".formatted(LONGEST));
      }
      expression.appendReplacement(filled, Matcher.quoteReplacement(part));
    }
    return expression.appendTail(filled).toString();
  }

  private String part(String name, Place place) {
    if (!isName(name)) {
      throw place.apply(
          "'{{ %s }}' is no variable; a variable may name others as {{ name }}, and the rest belongs"
                  .formatted(name)
              + " in the template");
    }
    Object value = value(name, place);
    if (value instanceof List || value instanceof Map) {
      throw place.apply("the variable '%s' is a list or mapping, which is no text".formatted(name));
    }
    return value == null ? "" : value.toString();
  }
}
