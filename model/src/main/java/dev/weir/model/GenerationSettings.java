package dev.weir.model;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * How an answer is made; what is absent is left to the provider.
 *
 * @param temperature from 0 to 2
 * @param topP from 0 to 1
 * @param maxTokens the most tokens of an answer, thoughts included
 * @param seed for providers that can repeat themselves
 * @param stop texts at which the answer ends
 * @param responseSchema the form of the answer
 * @param extraBody fields to add to the body of the request, each a JSON value; they win
 */
public record GenerationSettings(
    OptionalDouble temperature,
    OptionalDouble topP,
    OptionalInt maxTokens,
    OptionalLong seed,
    List<String> stop,
    Optional<ResponseSchema> responseSchema,
    Optional<ReasoningEffort> reasoningEffort,
    Map<String, String> extraBody) {

  /** Everything is left to the provider. */
  public static final GenerationSettings NONE =
      new GenerationSettings(
          OptionalDouble.empty(),
          OptionalDouble.empty(),
          OptionalInt.empty(),
          OptionalLong.empty(),
          List.of(),
          Optional.empty(),
          Optional.empty(),
          Map.of());

  public GenerationSettings {
    stop = List.copyOf(stop);
    // Sorted, so that equal settings are written equally.
    extraBody = Collections.unmodifiableMap(new TreeMap<>(extraBody));
    requireRange("temperature", temperature, 2);
    requireRange("top_p", topP, 1);
    if (maxTokens.isPresent() && maxTokens.getAsInt() < 1) {
      throw new IllegalArgumentException("`max_tokens` must be >= 1, was " + maxTokens.getAsInt());
    }
  }

  public GenerationSettings withTemperature(double value) {
    return new GenerationSettings(
        OptionalDouble.of(value),
        topP,
        maxTokens,
        seed,
        stop,
        responseSchema,
        reasoningEffort,
        extraBody);
  }

  public GenerationSettings withTopP(double value) {
    return new GenerationSettings(
        temperature,
        OptionalDouble.of(value),
        maxTokens,
        seed,
        stop,
        responseSchema,
        reasoningEffort,
        extraBody);
  }

  public GenerationSettings withMaxTokens(int value) {
    return new GenerationSettings(
        temperature,
        topP,
        OptionalInt.of(value),
        seed,
        stop,
        responseSchema,
        reasoningEffort,
        extraBody);
  }

  public GenerationSettings withSeed(long value) {
    return new GenerationSettings(
        temperature,
        topP,
        maxTokens,
        OptionalLong.of(value),
        stop,
        responseSchema,
        reasoningEffort,
        extraBody);
  }

  public GenerationSettings withStop(List<String> texts) {
    return new GenerationSettings(
        temperature, topP, maxTokens, seed, texts, responseSchema, reasoningEffort, extraBody);
  }

  public GenerationSettings withResponseSchema(ResponseSchema schema) {
    return new GenerationSettings(
        temperature, topP, maxTokens, seed, stop, Optional.of(schema), reasoningEffort, extraBody);
  }

  public GenerationSettings withReasoningEffort(ReasoningEffort effort) {
    return new GenerationSettings(
        temperature, topP, maxTokens, seed, stop, responseSchema, Optional.of(effort), extraBody);
  }

  public GenerationSettings withExtraBody(Map<String, String> fields) {
    return new GenerationSettings(
        temperature, topP, maxTokens, seed, stop, responseSchema, reasoningEffort, fields);
  }

  /** These settings, and where they say nothing, the others. */
  public GenerationSettings orElse(GenerationSettings others) {
    Map<String, String> fields = new TreeMap<>(others.extraBody);
    fields.putAll(extraBody);
    return new GenerationSettings(
        temperature.isPresent() ? temperature : others.temperature,
        topP.isPresent() ? topP : others.topP,
        maxTokens.isPresent() ? maxTokens : others.maxTokens,
        seed.isPresent() ? seed : others.seed,
        stop.isEmpty() ? others.stop : stop,
        responseSchema.or(others::responseSchema),
        reasoningEffort.or(others::reasoningEffort),
        fields);
  }

  private static void requireRange(String name, OptionalDouble value, double most) {
    if (value.isPresent() && !(value.getAsDouble() >= 0 && value.getAsDouble() <= most)) {
      throw new IllegalArgumentException(
          "`%s` must be from 0 to %s, was %s".formatted(name, (int) most, value.getAsDouble()));
    }
  }
}
