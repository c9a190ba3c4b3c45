package dev.weir.model.engine;

import dev.weir.limits.EngineLimits;
import dev.weir.limits.EngineLimits.Ceiling;
import dev.weir.limits.EngineLimits.Engine;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Spelling;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Weir's own form of {@link EngineLimits}, in YAML or JSON:
 *
 * <pre>
 *   enforce: true
 *   engines:
 *     anthropic:
 *       concurrency: 15
 *       models:
 *         claude-haiku-*: {concurrency: 10, requests: 1000}
 *         claude-opus-4-1: 5
 * </pre>
 */
public final class EngineLimitFile {

  private static final String ENFORCE = "enforce";
  private static final String ENGINES = "engines";
  private static final String CONCURRENCY = "concurrency";
  private static final String MODELS = "models";

  private static final String FORM =
      "expected enforce: BOOL and engines: {ENGINE: {concurrency: N, models: {NAME: …}}}";

  private static final int DEEPEST = 10;

  private static final JsonMapper JSON = new JsonMapper();

  private EngineLimitFile() {}

  /**
   * @throws ConfigurationException if the file cannot be read or is malformed; it repeats nothing
   *     of what the file holds
   */
  public static EngineLimits read(Path file) {
    return read(file, EngineLimits.NONE);
  }

  /**
   * The same beside limits from elsewhere. A file that says {@code enforce: false} and nothing else
   * is about those.
   */
  static EngineLimits read(Path file, EngineLimits others) {
    var reader = new EngineLimitReader(file.toString(), FORM);
    JsonNode root =
        JSON.valueToTree(plain(yaml(SecretFile.text(file.toString(), file), reader), 0, reader));
    reader.requireObject(root, "the file");
    requireKnown(root, List.of(ENFORCE, ENGINES), "the file", reader);
    Map<String, Engine> engines = new LinkedHashMap<>();
    JsonNode listed = root.path(ENGINES);
    if (!listed.isMissingNode()) {
      reader.requireObject(listed, "'engines'");
    }
    for (Map.Entry<String, JsonNode> engine : listed.properties()) {
      String place = "engine " + (engines.size() + 1);
      reader.requireName(engine.getKey(), place);
      engines.put(engine.getKey(), engine(engine.getValue(), place, reader));
    }
    boolean isEnforced = isEnforced(root.path(ENFORCE), reader);
    return engines.isEmpty() && !isEnforced
        ? new EngineLimits(others.engines(), false)
        : others.lowest(new EngineLimits(engines, isEnforced));
  }

  private static Engine engine(JsonNode node, String place, EngineLimitReader reader) {
    reader.requireObject(node, place);
    requireKnown(node, List.of(CONCURRENCY, MODELS), place, reader);
    JsonNode models = node.path(MODELS);
    Map<String, Ceiling> ceilings =
        models.isMissingNode() ? Map.of() : reader.models(models, place);
    JsonNode own = node.path(CONCURRENCY);
    return new Engine(
        ceilings,
        own.isMissingNode()
            ? OptionalInt.empty()
            : OptionalInt.of(reader.whole(own, "'concurrency' of " + place)));
  }

  private static boolean isEnforced(JsonNode word, EngineLimitReader reader) {
    if (!word.isMissingNode() && !word.isBoolean()) {
      throw reader.malformed("'enforce' must be true or false");
    }
    return word.isMissingNode() || word.booleanValue();
  }

  private static void requireKnown(
      JsonNode node, List<String> keys, String place, EngineLimitReader reader) {
    for (String key : node.propertyNames()) {
      if (!keys.contains(key)) {
        throw reader.malformed(
            "%s has an unknown key%s; known are %s"
                .formatted(place, Spelling.hint(key, keys), String.join(", ", keys)));
      }
    }
  }

  /** Without keys that are no names, and without what holds itself. */
  private static @Nullable Object plain(
      @Nullable Object node, int depth, EngineLimitReader reader) {
    if (depth > DEEPEST) {
      throw reader.malformed("the file is nested too deeply");
    }
    return switch (node) {
      case Map<?, ?> map -> {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        map.forEach(
            (key, value) -> {
              if (key == null) {
                throw reader.malformed("a key is empty");
              }
              members.put(String.valueOf(key), plain(value, depth + 1, reader));
            });
        yield members;
      }
      case List<?> list -> list.stream().map(each -> plain(each, depth + 1, reader)).toList();
      case null, default -> node;
    };
  }

  private static @Nullable Object yaml(String text, EngineLimitReader reader) {
    try {
      return new Load(LoadSettings.builder().setAllowDuplicateKeys(false).build())
          .loadFromString(text);
    } catch (MarkedYamlEngineException broken) {
      // Without its cause, whose message repeats what was read.
      throw reader.malformed("the file is not YAML, or has a key twice" + place(broken));
    } catch (YamlEngineException broken) {
      throw reader.malformed("the file is not YAML");
    } catch (StackOverflowError tooDeep) {
      throw reader.malformed("the file is nested too deeply");
    }
  }

  private static String place(MarkedYamlEngineException broken) {
    return broken
        .getProblemMark()
        .map(
            (Mark mark) ->
                " (line %d, column %d)".formatted(mark.getLine() + 1, mark.getColumn() + 1))
        .orElse("");
  }
}
