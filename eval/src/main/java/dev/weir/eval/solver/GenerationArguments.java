package dev.weir.eval.solver;

import static dev.weir.eval.component.Parameter.Kind.NUMBER;
import static dev.weir.eval.component.Parameter.Kind.TEXT;
import static dev.weir.eval.component.Parameter.Kind.TEXTS;
import static dev.weir.eval.component.Parameter.Kind.WHOLE;

import dev.weir.eval.component.Arguments;
import dev.weir.eval.component.Parameter;
import dev.weir.model.GenerationSettings;
import dev.weir.model.ReasoningEffort;
import dev.weir.model.Spelling;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Arguments of solvers that say how answers are made; they win over the options of the run. */
final class GenerationArguments {

  static final List<Parameter> PARAMETERS =
      List.of(
          Parameter.optional("temperature", NUMBER, "from 0 to 2"),
          Parameter.optional("top_p", NUMBER, "from 0 to 1"),
          Parameter.optional("max_tokens", WHOLE, "the most tokens of an answer"),
          Parameter.optional("seed", WHOLE, "for providers that can repeat themselves"),
          Parameter.optional("stop_seqs", TEXTS, "texts at which an answer ends"),
          Parameter.optional(
              "reasoning_effort", TEXT, "none, minimal, low, medium, high or xhigh"));

  private GenerationArguments() {}

  static GenerationSettings read(Arguments arguments) {
    GenerationSettings settings = GenerationSettings.NONE;
    Optional<Double> temperature = arguments.number("temperature", 0, 2);
    if (temperature.isPresent()) {
      settings = settings.withTemperature(temperature.get());
    }
    Optional<Double> topP = arguments.number("top_p", 0, 1);
    if (topP.isPresent()) {
      settings = settings.withTopP(topP.get());
    }
    Optional<Integer> maxTokens = arguments.whole("max_tokens", 1);
    if (maxTokens.isPresent()) {
      settings = settings.withMaxTokens(maxTokens.get());
    }
    Optional<Integer> seed = arguments.whole("seed", 0);
    if (seed.isPresent()) {
      settings = settings.withSeed(seed.get());
    }
    List<String> stop = arguments.texts("stop_seqs");
    if (!stop.isEmpty()) {
      settings = settings.withStop(stop);
    }
    return arguments
        .text("reasoning_effort")
        .map(word -> effort(arguments, word))
        .map(settings::withReasoningEffort)
        .orElse(settings);
  }

  private static ReasoningEffort effort(Arguments arguments, String word) {
    return Arrays.stream(ReasoningEffort.values())
        .filter(effort -> effort.word().equals(word))
        .findAny()
        .orElseThrow(
            () ->
                arguments.wrong(
                    "reasoning_effort",
                    "is unknown: '%s'%s"
                        .formatted(
                            word,
                            Spelling.hint(
                                word,
                                Arrays.stream(ReasoningEffort.values())
                                    .map(ReasoningEffort::word)
                                    .toList()))));
  }
}
