package dev.weir.eval.promptfoo;

import dev.weir.eval.option.Options;
import dev.weir.eval.option.RunOptions;
import dev.weir.eval.option.Settings;
import dev.weir.model.GenerationSettings;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A provider of a configuration: a model, and how it is asked.
 *
 * @param id as promptfoo names it
 * @param label what people call it
 * @param model as Weir names it
 * @param arguments for the model's provider
 * @param baseUrl where its server is, if not at its usual place
 * @param words options by their names: {@code temperature}
 * @param seed what is sent to the provider
 * @param tools what the model may call
 * @param parsesJson whether the answer is read as JSON, because JSON was asked for
 * @param prompts the labels of the prompts that it gets; empty for all
 */
record Target(
    String id,
    String label,
    String model,
    Map<String, String> arguments,
    Optional<String> baseUrl,
    Map<String, String> words,
    OptionalLong seed,
    OfferedTools tools,
    boolean parsesJson,
    List<String> prompts,
    Optional<Transform> transform,
    Place place) {

  /** As settings of a task that evaluates it. */
  Settings settings() {
    Settings settings = put(Settings.NONE, "model", model);
    if (!arguments.isEmpty()) {
      settings = put(settings, "model-args", Json.write(arguments));
    }
    if (baseUrl.isPresent()) {
      settings = put(settings, "model-base-url", baseUrl.get());
    }
    for (Map.Entry<String, String> word : words.entrySet()) {
      settings = put(settings, word.getKey(), word.getValue());
    }
    return settings;
  }

  private Settings put(Settings settings, String option, String word) {
    return settings.with(
        Options.named(option), word, "%s: `%s`".formatted(place, option.replace('-', '_')));
  }

  /** As the model of a role: its name, or that with arguments and address. */
  Object role() {
    if (arguments.isEmpty() && baseUrl.isEmpty()) {
      return model;
    }
    Map<String, Object> role = new LinkedHashMap<>();
    role.put("model", model);
    role.put("model_args", arguments);
    baseUrl.ifPresent(url -> role.put("base_url", url));
    return role;
  }

  /** How it is asked about a test where it is not the evaluated model. */
  GenerationSettings generation(TestCase test) {
    return with(test, generation());
  }

  /** How it is asked where it grades. */
  GenerationSettings generation() {
    GenerationSettings settings = RunOptions.parse(settings()).generation();
    return seed.isPresent() ? settings.withSeed(seed.getAsLong()) : settings;
  }

  /** What no option of a task says. */
  GenerationSettings beyondOptions(TestCase test) {
    GenerationSettings settings =
        seed.isPresent()
            ? GenerationSettings.NONE.withSeed(seed.getAsLong())
            : GenerationSettings.NONE;
    return with(test, settings);
  }

  /** A program is told what it is asked for. */
  private GenerationSettings with(TestCase test, GenerationSettings settings) {
    return ExecProvider.isOne(id)
        ? settings.withExtraBody(Map.of("context", Json.write(Map.of("vars", test.vars()))))
        : settings;
  }
}
