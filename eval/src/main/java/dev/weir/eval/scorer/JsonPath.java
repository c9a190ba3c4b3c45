package dev.weir.eval.scorer;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/**
 * A way into a JSON document, as a pointer ({@code /users/0/name}) or as the simplest part of
 * JSONPath ({@code $.users[0].name}, {@code $['first name']}, {@code $.users[-1]}, {@code
 * $.users[*].name}). Filters, slices and {@code ..} are not part of it.
 */
record JsonPath(List<Step> steps) {

  static final String RULE =
      "must be a pointer such as /users/0/name, or a path such as $.users[0].name or"
          + " $.users[*].name";

  private static final Pattern STEP =
      Pattern.compile(
          "\\.(?<key>[^.\\[\\]'\"*\\s]+)|\\[(?<index>-?\\d{1,9})\\]|\\['(?<single>[^']*)'\\]"
              + "|\\[\"(?<double>[^\"]*)\"\\]|(?<each>\\.\\*|\\[\\*\\])");

  /** One step into a document. */
  sealed interface Step {

    /** Of an object; of an array, if it is a whole number. */
    record Key(String name) implements Step {}

    /** Of an array; from its end if it is negative. */
    record Index(int at) implements Step {}

    /** All of an array or an object. */
    record Each() implements Step {}
  }

  /** Empty if the text is no such path. */
  static Optional<JsonPath> parse(String text) {
    String path = text.strip();
    if (path.startsWith("/")) {
      List<Step> steps = new ArrayList<>();
      for (String key : List.of(path.substring(1).split("/", -1))) {
        steps.add(new Step.Key(key.replace("~1", "/").replace("~0", "~")));
      }
      return Optional.of(new JsonPath(steps));
    }
    return path.startsWith("$") ? dotted(path.substring(1)) : Optional.empty();
  }

  private static Optional<JsonPath> dotted(String path) {
    List<Step> steps = new ArrayList<>();
    Matcher matcher = STEP.matcher(path);
    int at = 0;
    while (at < path.length()) {
      if (!matcher.find(at) || matcher.start() != at) {
        return Optional.empty();
      }
      steps.add(step(matcher));
      at = matcher.end();
    }
    return Optional.of(new JsonPath(steps));
  }

  private static Step step(Matcher matcher) {
    if (matcher.group("each") != null) {
      return new Step.Each();
    }
    String index = matcher.group("index");
    if (index != null) {
      return new Step.Index(Integer.parseInt(index));
    }
    for (String group : List.of("key", "single", "double")) {
      String name = matcher.group(group);
      if (name != null) {
        return new Step.Key(name);
      }
    }
    throw new IllegalStateException("a step that is no step: " + matcher.group());
  }

  /** What it leads to; nothing if the document has no such place. */
  List<JsonNode> find(JsonNode document) {
    List<JsonNode> found = List.of(document);
    for (Step step : steps) {
      List<JsonNode> next = new ArrayList<>();
      for (JsonNode node : found) {
        take(step, node, next);
      }
      found = next;
    }
    return found;
  }

  private static void take(Step step, JsonNode node, List<JsonNode> into) {
    switch (step) {
      case Step.Each() -> node.forEach(into::add);
      case Step.Index(int at) -> addIfThere(node.get(at < 0 ? node.size() + at : at), into);
      case Step.Key(String name) ->
          addIfThere(
              node.isArray() && name.matches("\\d{1,9}")
                  ? node.get(Integer.parseInt(name))
                  : node.get(name),
              into);
    }
  }

  private static void addIfThere(
      @org.jspecify.annotations.Nullable JsonNode node, List<JsonNode> into) {
    if (node != null) {
      into.add(node);
    }
  }
}
