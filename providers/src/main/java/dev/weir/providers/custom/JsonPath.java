package dev.weir.providers.custom;

import dev.weir.providers.http.ConfigFile.Value;
import dev.weir.providers.http.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The way to a value inside JSON: {@code $.choices[0].message['the text']}. Names, quoted names and
 * places in lists, nothing else; {@code [-1]} is the last place.
 */
final class JsonPath {

  private static final Pattern STEP =
      Pattern.compile("\\.([\\p{L}_$][\\p{L}\\p{N}_$-]*)|\\[(-?\\d{1,6})]|\\['([^']+)']");

  private final String text;
  private final List<Step> steps;

  private JsonPath(String text, List<Step> steps) {
    this.text = text;
    this.steps = steps;
  }

  static JsonPath of(Value value, String what) {
    String text = value.text(what);
    List<Step> steps = new ArrayList<>();
    int from = text.startsWith("$") ? 1 : text.length() + 1;
    Matcher matcher = STEP.matcher(text);
    while (from < text.length() && matcher.region(from, text.length()).lookingAt()) {
      steps.add(step(matcher));
      from = matcher.end();
    }
    if (from != text.length()) {
      throw value.problem(
          "%s must be a path such as $.choices[0].message.content, was '%s'".formatted(what, text));
    }
    return new JsonPath(text, List.copyOf(steps));
  }

  private static Step step(Matcher matcher) {
    if (matcher.group(2) != null) {
      return new Step.Place(Integer.parseInt(matcher.group(2)));
    }
    return new Step.Name(matcher.group(1) != null ? matcher.group(1) : matcher.group(3));
  }

  /** What is there; absent if the way ends before. */
  Json in(Json root) {
    Json here = root;
    for (Step step : steps) {
      here =
          switch (step) {
            case Step.Name(String name) -> here.isObject() ? here.at(name) : Json.ABSENT;
            case Step.Place(int place) -> at(here.list(), place);
          };
    }
    return here;
  }

  private static Json at(List<Json> members, int place) {
    int index = place < 0 ? members.size() + place : place;
    return index >= 0 && index < members.size() ? members.get(index) : Json.ABSENT;
  }

  @Override
  public String toString() {
    return text;
  }

  private sealed interface Step {

    record Name(String name) implements Step {}

    record Place(int place) implements Step {}
  }
}
