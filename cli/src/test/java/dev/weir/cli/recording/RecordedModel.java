package dev.weir.cli.recording;

import dev.weir.limits.Mode;
import dev.weir.model.ModelName;
import dev.weir.simulator.provider.ProviderSettings;
import dev.weir.simulator.provider.ProviderSettingsBuilder;
import java.time.Duration;
import java.util.Map;

/**
 * A model of the recorded run.
 *
 * @param workers calls in flight at full load, each followed by the next; 0 if calls come by a rate
 * @param perMinute calls at full load, if there are no workers
 * @param latency the median time of an answer
 * @param inputTokens of a call, on average
 * @param cachedTokens how many of these are from the provider's cache
 * @param outputTokens of a call, on average
 * @param usdPerMillion of fresh input, cached input and output; empty if no price is known
 * @param provider what the provider allows
 */
record RecordedModel(
    ModelName name,
    int workers,
    double perMinute,
    Duration latency,
    int inputTokens,
    int cachedTokens,
    int outputTokens,
    Map<String, Double> usdPerMillion,
    Mode mode,
    ProviderSettings provider) {

  static RecordedModel of(String name, Duration latency, Mode mode) {
    return new RecordedModel(
        ModelName.parse(name),
        0,
        0,
        latency,
        200,
        0,
        100,
        Map.of("input", 3.0, "output", 15.0),
        mode,
        allowing().build());
  }

  /** Ordinary faults: one call in a hundred fails, and as many are refused for no limit. */
  static ProviderSettingsBuilder allowing() {
    return ProviderSettings.builder().oneWayDelay(Duration.ZERO).errorRate(0.01).strayRate(0.01);
  }

  RecordedModel busy(int newWorkers) {
    return new RecordedModel(
        name,
        newWorkers,
        0,
        latency,
        inputTokens,
        cachedTokens,
        outputTokens,
        usdPerMillion,
        mode,
        provider);
  }

  RecordedModel called(double newPerMinute) {
    return new RecordedModel(
        name,
        0,
        newPerMinute,
        latency,
        inputTokens,
        cachedTokens,
        outputTokens,
        usdPerMillion,
        mode,
        provider);
  }

  RecordedModel using(int input, int cached, int output) {
    return new RecordedModel(
        name, workers, perMinute, latency, input, cached, output, usdPerMillion, mode, provider);
  }

  RecordedModel priced(Map<String, Double> newUsdPerMillion) {
    return new RecordedModel(
        name,
        workers,
        perMinute,
        latency,
        inputTokens,
        cachedTokens,
        outputTokens,
        newUsdPerMillion,
        mode,
        provider);
  }

  RecordedModel allowed(ProviderSettings newProvider) {
    return new RecordedModel(
        name,
        workers,
        perMinute,
        latency,
        inputTokens,
        cachedTokens,
        outputTokens,
        usdPerMillion,
        mode,
        newProvider);
  }
}
