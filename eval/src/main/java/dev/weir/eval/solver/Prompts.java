package dev.weir.eval.solver;

import dev.weir.eval.component.Arguments;
import dev.weir.eval.sample.SampleState;
import dev.weir.eval.template.Template;
import dev.weir.model.ConfigurationException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Templates that are filled in from a sample.
 *
 * <p>They know {@code prompt}, what was last asked; {@code input}, {@code id}, {@code epoch},
 * {@code choices} and {@code metadata} of the sample; and each entry of the metadata by its own
 * name, unless that is taken.
 */
final class Prompts {

  /** As other tools write it; sent as it stands, it would spoil a run without a word. */
  private static final Pattern SINGLE_BRACES =
      Pattern.compile(
          "(?<!\\{)\\{(prompt|question|choices|letters|completion|critique|submit)\\}(?!\\})");

  private Prompts() {}

  /**
   * @param place what the text is, for people
   */
  static Template of(String text, String place) {
    Optional<String> wrong = wrong(text);
    if (wrong.isPresent()) {
      throw new ConfigurationException("%s %s".formatted(place, wrong.get()));
    }
    return Template.of(text, place);
  }

  /** An argument, or else a text of our own. */
  static Template of(Arguments arguments, String name, String otherwise) {
    Optional<String> wrong = arguments.text(name).flatMap(Prompts::wrong);
    if (wrong.isPresent()) {
      throw arguments.wrong(name, wrong.get());
    }
    return arguments.template(name, arguments.text(name).orElse(otherwise));
  }

  private static Optional<String> wrong(String text) {
    Matcher single = SINGLE_BRACES.matcher(text);
    return single.find()
        ? Optional.of("must have {{ %s }} instead of %s".formatted(single.group(1), single.group()))
        : Optional.empty();
  }

  static String fill(Template template, SampleState state) {
    return fill(template, state, Map.of());
  }

  /**
   * @param more what else it may name; wins over all else
   */
  static String fill(Template template, SampleState state, Map<String, ?> more) {
    Map<String, @Nullable Object> variables = variables(state);
    variables.putAll(more);
    return template.render(variables);
  }

  /** What all of them know. */
  static Map<String, @Nullable Object> variables(SampleState state) {
    Map<String, @Nullable Object> variables = new HashMap<>(state.sample().metadata());
    variables.put("metadata", state.sample().metadata());
    variables.put("prompt", state.userPrompt());
    variables.put("input", state.sample().input());
    variables.put("id", state.sample().id());
    variables.put("epoch", state.epoch());
    variables.put("choices", state.choices());
    return variables;
  }
}
