package dev.weir.log.inspect;

import dev.weir.log.inspect.InspectHeader.Config;
import dev.weir.log.inspect.InspectHeader.Dataset;
import dev.weir.log.inspect.InspectHeader.Results;
import dev.weir.log.inspect.InspectHeader.ScorerResult;
import dev.weir.log.inspect.InspectHeader.Spec;
import dev.weir.log.inspect.InspectHeader.Stats;
import dev.weir.log.inspect.InspectHeader.Step;
import dev.weir.log.inspect.InspectHeader.Usage;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.JsonNode;

/**
 * Reads the header of a log. Ids of samples, of which there may be a million, do not become a tree;
 * samples and reductions, which follow in a {@code .json} log, are not read.
 */
final class HeaderReader {

  static final int VERSION = 2;

  private static final JsonNode NOTHING = InspectJson.MAPPER.createObjectNode();

  private final String where;
  private final Map<String, JsonNode> fields = new LinkedHashMap<>();
  private final Map<String, JsonNode> spec = new LinkedHashMap<>();
  private final Map<String, JsonNode> dataset = new LinkedHashMap<>();
  private final List<SampleId> sampleIds = new ArrayList<>();

  private HeaderReader(String where) {
    this.where = where;
  }

  static InspectHeader read(String where, InputStream in) throws IOException {
    return InspectJson.reading(
        where,
        () -> {
          try (JsonParser parser = InspectJson.MAPPER.createParser(in)) {
            var reader = new HeaderReader(where);
            reader.readFields(parser);
            return reader.header();
          }
        });
  }

  private void readFields(JsonParser parser) throws IOException {
    if (parser.nextToken() != JsonToken.START_OBJECT) {
      throw new IOException(where + " is not the log of an evaluation: no JSON object");
    }
    while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
      String field = parser.currentName();
      JsonToken value = parser.nextToken();
      switch (field) {
        case "samples", "reductions" -> {
          // They come last: with what a log must have at hand, nothing behind them is missed.
          if (!spec.isEmpty() && fields.containsKey("status")) {
            return;
          }
          parser.skipChildren();
        }
        case "eval" -> readObject(parser, value, spec, "dataset");
        default -> fields.put(field, tree(parser));
      }
    }
  }

  /** Reads an object; the field with the name is one level more to go. */
  private void readObject(
      JsonParser parser, JsonToken value, Map<String, JsonNode> into, String deeper)
      throws IOException {
    if (value != JsonToken.START_OBJECT) {
      parser.skipChildren();
      return;
    }
    while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
      String field = parser.currentName();
      JsonToken next = parser.nextToken();
      if (!field.equals(deeper)) {
        into.put(field, tree(parser));
      } else if (deeper.equals("dataset")) {
        readObject(parser, next, dataset, "sample_ids");
      } else {
        readIds(parser, next);
      }
    }
  }

  private void readIds(JsonParser parser, JsonToken value) {
    if (value == JsonToken.START_ARRAY) {
      while (parser.nextToken() != JsonToken.END_ARRAY) {
        SampleId id = InspectSample.id(parser);
        if (id != null) {
          sampleIds.add(id);
        }
        parser.skipChildren();
      }
    }
  }

  private static JsonNode tree(JsonParser parser) {
    return InspectJson.MAPPER.readTree(parser);
  }

  private InspectHeader header() throws IOException {
    int version = fields.containsKey("version") ? node(fields, "version").asInt(0) : VERSION;
    checkVersion(where, version);
    if (spec.isEmpty()) {
      throw new IOException(where + " is not the log of an evaluation: it has no field 'eval'");
    }
    JsonNode error = node(fields, "error");
    return new InspectHeader(
        version,
        text(fields, "status", "started"),
        spec(),
        steps(node(fields, "plan").path("steps")),
        Optional.ofNullable(fields.get("results"))
            .filter(JsonNode::isObject)
            .map(HeaderReader::results),
        stats(node(fields, "stats")),
        Optional.of(error.path("message")).filter(JsonNode::isString).map(JsonNode::stringValue));
  }

  private static void checkVersion(String where, int version) throws IOException {
    if (version < VERSION) {
      throw new IOException(
          "%s is a log of version %d: write it anew with Inspect, by inspect log convert"
              .formatted(where, version));
    }
    if (version > VERSION) {
      throw new IOException(
          "%s is a log of version %d, and this Weir reads version %d: a newer one is needed"
              .formatted(where, version, VERSION));
    }
  }

  private Spec spec() {
    JsonNode config = node(spec, "config");
    return new Spec(
        text(spec, "task", ""),
        text(spec, "task_id", ""),
        text(spec, "run_id", ""),
        text(spec, "eval_id", ""),
        text(spec, "created", ""),
        text(spec, "model", ""),
        new Dataset(
            text(dataset, "name", ""),
            text(dataset, "location", ""),
            small(node(dataset, "samples")),
            sampleIds,
            Optional.of(node(dataset, "shuffled"))
                .filter(JsonNode::isBoolean)
                .map(JsonNode::booleanValue)),
        config(config),
        Optional.of(node(spec, "metadata").path("weir").path("scoring_of"))
            .filter(JsonNode::isString)
            .map(JsonNode::stringValue),
        config.isObject() ? config.toString() : "{}");
  }

  private static Config config(JsonNode config) {
    return new Config(
        small(config.path("epochs")).orElse(1),
        config
            .path("epochs_reducer")
            .valueStream()
            .filter(JsonNode::isString)
            .map(JsonNode::stringValue)
            .toList(),
        given(config.path("limit")),
        given(config.path("fail_on_error")),
        small(config.path("message_limit")),
        whole(config.path("token_limit")),
        number(config.path("time_limit")),
        number(config.path("working_limit")));
  }

  private static List<Step> steps(JsonNode steps) {
    return steps
        .valueStream()
        .map(
            step ->
                new Step(
                    step.path("solver").asString(""),
                    step.path("params").isObject() ? step.path("params").toString() : "{}"))
        .toList();
  }

  private static Results results(JsonNode results) {
    return new Results(
        results.path("total_samples").asInt(0),
        results.path("completed_samples").asInt(0),
        results.path("scores").valueStream().map(HeaderReader::score).toList());
  }

  private static ScorerResult score(JsonNode score) {
    Map<String, Double> metrics = new LinkedHashMap<>();
    score
        .path("metrics")
        .properties()
        .forEach(
            metric ->
                number(metric.getValue().path("value"))
                    .ifPresent(value -> metrics.put(metric.getKey(), value)));
    return new ScorerResult(
        score.path("name").asString(""),
        score.path("scorer").asString(""),
        Optional.of(score.path("reducer")).filter(JsonNode::isString).map(JsonNode::stringValue),
        metrics);
  }

  private static Stats stats(JsonNode stats) {
    Map<String, Usage> usage = new LinkedHashMap<>();
    stats
        .path("model_usage")
        .properties()
        .forEach(model -> usage.put(model.getKey(), usage(model.getValue())));
    return new Stats(
        stats.path("started_at").asString(""), stats.path("completed_at").asString(""), usage);
  }

  private static Usage usage(JsonNode usage) {
    return new Usage(
        usage.path("input_tokens").asLong(0),
        usage.path("output_tokens").asLong(0),
        usage.path("total_tokens").asLong(0));
  }

  private static JsonNode node(Map<String, JsonNode> from, String field) {
    return from.getOrDefault(field, NOTHING);
  }

  private static String text(Map<String, JsonNode> from, String field, String otherwise) {
    return node(from, field).asString(otherwise);
  }

  private static Optional<String> given(JsonNode node) {
    return node.isMissingNode() || node.isNull() ? Optional.empty() : Optional.of(node.toString());
  }

  private static Optional<Integer> small(JsonNode node) {
    return node.isIntegralNumber() && node.canConvertToInt()
        ? Optional.of(node.intValue())
        : Optional.empty();
  }

  private static Optional<Long> whole(JsonNode node) {
    return node.isIntegralNumber() && node.canConvertToLong()
        ? Optional.of(node.longValue())
        : Optional.empty();
  }

  private static Optional<Double> number(JsonNode node) {
    return node.isNumber() ? Optional.of(node.doubleValue()) : Optional.empty();
  }
}
