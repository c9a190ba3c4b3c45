package dev.weir.eval.option;

import dev.weir.model.ConfigurationException;
import dev.weir.model.GenerationSettings;
import dev.weir.model.ReasoningEffort;
import dev.weir.model.ResponseSchema;
import dev.weir.model.batch.BatchSettings;
import dev.weir.model.cache.CacheAge;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The options of a run that say how its models are reached and asked.
 *
 * @param modelBaseUrl where the server of the evaluated model is, if not at its usual place
 * @param generation how answers are made
 * @param cacheWord {@code true}, {@code false}, or how old an answer from the cache may be
 * @param batchWord {@code true}, {@code false}, or how many requests a batch has
 * @param batchDelay how long the first request of a batch waits for others
 * @param batchPoll how often a batch is looked after
 * @param prices a file of prices that win over the built-in ones
 */
public record ModelOptions(
    Optional<URI> modelBaseUrl,
    GenerationSettings generation,
    Optional<String> cacheWord,
    Optional<String> batchWord,
    Optional<Duration> batchDelay,
    Optional<Duration> batchPoll,
    Optional<Path> prices) {

  public ModelOptions {
    if (cacheWord.isPresent() && !isCache(cacheWord.get())) {
      throw new IllegalArgumentException("`cacheWord` is no age: " + cacheWord.get());
    }
    if (batchWord.isPresent() && !isBatch(batchWord.get())) {
      throw new IllegalArgumentException("`batchWord` is no size: " + batchWord.get());
    }
  }

  public static final ModelOptions NONE = parse(OptionWords.NONE);

  private static final JsonMapper JSON = new JsonMapper();

  /**
   * @throws ConfigurationException if a word cannot be used
   */
  public static ModelOptions parse(OptionWords words) {
    var reader = new OptionReader(words);
    return new ModelOptions(
        url(reader),
        generation(reader),
        cache(reader),
        batch(reader),
        reader.duration("batch-delay", "s", Duration.ofMillis(1)),
        reader.duration("batch-poll", "s", Duration.ofMillis(1)),
        reader.path("prices"));
  }

  /** How old an answer from the cache may be, if one is to be used. */
  public Optional<CacheAge> cache() {
    return cacheWord
        .filter(word -> !word.equals("false"))
        .flatMap(
            word -> word.equals("true") ? Optional.of(CacheAge.DEFAULT) : CacheAge.parse(word));
  }

  /** How requests are gathered into batches, if they are. */
  public Optional<BatchSettings> batch() {
    if (batchWord.isEmpty() || batchWord.get().equals("false")) {
      return Optional.empty();
    }
    BatchSettings settings = BatchSettings.defaults();
    if (!batchWord.get().equals("true")) {
      settings = settings.withSize(Integer.parseInt(batchWord.get()));
    }
    settings = batchDelay.map(settings::withSendDelay).orElse(settings);
    return Optional.of(batchPoll.map(settings::withPollInterval).orElse(settings));
  }

  private static boolean isCache(String word) {
    return List.of("true", "false").contains(word) || CacheAge.parse(word).isPresent();
  }

  private static boolean isBatch(String word) {
    return List.of("true", "false").contains(word)
        || (word.matches("[1-9]\\d{0,5}") && Integer.parseInt(word) <= BatchSettings.LARGEST);
  }

  private static Optional<String> batch(OptionReader reader) {
    return reader.read(
        "batch",
        word -> Optional.of(word).filter(ModelOptions::isBatch),
        "true, false, or the number of requests in a batch, at most " + BatchSettings.LARGEST);
  }

  private static Optional<String> cache(OptionReader reader) {
    return reader.read(
        "cache",
        word -> Optional.of(word).filter(ModelOptions::isCache),
        "true, false, or " + CacheAge.RULE);
  }

  private static Optional<URI> url(OptionReader reader) {
    return reader.read(
        "model-base-url",
        word -> {
          try {
            URI uri = new URI(word);
            boolean isWeb = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
            // Names with an underscore have no host, as Java sees it, and are in use.
            return Optional.of(uri).filter(_ -> isWeb && uri.getRawAuthority() != null);
          } catch (URISyntaxException malformed) {
            return Optional.empty();
          }
        },
        "an address such as http://127.0.0.1:8080/v1",
        // What stands before an @ may be a password.
        word -> word.substring(word.lastIndexOf('@') + 1));
  }

  private static GenerationSettings generation(OptionReader reader) {
    GenerationSettings settings = GenerationSettings.NONE;
    Optional<Double> temperature = reader.number("temperature", 0, 2, "a number from 0 to 2");
    Optional<Double> topP = reader.number("top-p", 0, 1, "a number from 0 to 1");
    Optional<Integer> maxTokens = reader.whole("max-tokens", 1);
    Optional<List<String>> stop =
        reader.read("stop-seqs", Texts::parse, "texts, separated by commas");
    Optional<ReasoningEffort> effort =
        reader.choice(
            "reasoning-effort", Arrays.asList(ReasoningEffort.values()), ReasoningEffort::word);
    Optional<ResponseSchema> schema =
        reader.read("response-schema", ModelOptions::schema, "a JSON schema, an object");
    Optional<Map<String, String>> extra =
        reader.read("extra-body", ModelOptions::fields, "a JSON object");
    if (temperature.isPresent()) {
      settings = settings.withTemperature(temperature.get());
    }
    if (topP.isPresent()) {
      settings = settings.withTopP(topP.get());
    }
    if (maxTokens.isPresent()) {
      settings = settings.withMaxTokens(maxTokens.get());
    }
    if (stop.isPresent()) {
      settings = settings.withStop(stop.get());
    }
    if (effort.isPresent()) {
      settings = settings.withReasoningEffort(effort.get());
    }
    if (schema.isPresent()) {
      settings = settings.withResponseSchema(schema.get());
    }
    return extra.map(settings::withExtraBody).orElse(settings);
  }

  private static Optional<ResponseSchema> schema(String word) {
    return object(word)
        .map(
            schema ->
                new ResponseSchema(
                    schema.path("title").asString("").matches("[A-Za-z0-9_-]{1,64}")
                        ? schema.path("title").asString()
                        : "answer",
                    schema.toString(),
                    true));
  }

  private static Optional<Map<String, String>> fields(String word) {
    return object(word)
        .map(
            object -> {
              Map<String, String> fields = new LinkedHashMap<>();
              object.properties().forEach(f -> fields.put(f.getKey(), f.getValue().toString()));
              return fields;
            });
  }

  private static Optional<JsonNode> object(String word) {
    try {
      return Optional.of(JSON.readTree(word)).filter(JsonNode::isObject);
    } catch (JacksonException malformed) {
      return Optional.empty();
    }
  }
}
