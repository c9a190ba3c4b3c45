package dev.weir.log;

import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What is known of a run when it begins.
 *
 * @param runId names the run; part of the file's name
 * @param taskId names what is evaluated; runs of the same task share it
 * @param samples how many samples it has
 * @param epochs how often each is run
 * @param seed what every random choice of the run depends on
 * @param concurrencyMode how its calls are regulated: {@code pace}
 * @param maxConnections the most calls that may be in flight
 * @param scorers by name, in order
 * @param config the options that were given, by key
 * @param tags words to find it by
 * @param metadata what the user wants to be kept
 */
public record RunStart(
    String runId,
    String taskId,
    String task,
    String model,
    int samples,
    int epochs,
    long seed,
    String concurrencyMode,
    int maxConnections,
    List<String> scorers,
    Map<String, String> config,
    List<String> tags,
    Map<String, String> metadata,
    Instant started) {

  public RunStart {
    scorers = List.copyOf(scorers);
    config = Collections.unmodifiableMap(new LinkedHashMap<>(config));
    tags = List.copyOf(tags);
    metadata = Collections.unmodifiableMap(new LinkedHashMap<>(metadata));
  }
}
