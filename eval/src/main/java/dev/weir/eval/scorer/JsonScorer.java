package dev.weir.eval.scorer;

import static dev.weir.eval.component.Parameter.optional;

import dev.harrel.jsonschema.Error;
import dev.harrel.jsonschema.InvalidSchemaException;
import dev.harrel.jsonschema.JsonSchemaException;
import dev.harrel.jsonschema.Validator;
import dev.harrel.jsonschema.ValidatorFactory;
import dev.weir.eval.component.Arguments;
import dev.weir.eval.component.Component;
import dev.weir.eval.component.Parameter.Kind;
import dev.weir.eval.dataset.InputFile;
import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sample.SampleState;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Right if the output is JSON, has the form that a schema demands, and says at a path what a target
 * says: as much of that as is asked for.
 *
 * @param strict whether the output must be JSON and nothing else
 */
record JsonScorer(Optional<Schema> schema, Optional<JsonPath> path, boolean strict)
    implements Scorer {

  private static final int MOST_ERRORS_TOLD = 3;

  static final Component<Scorer> COMPONENT =
      new Component<>(
          "json",
          "Right if the output is JSON, fits a schema, and has the target at a path.",
          List.of(
              optional(
                  "path",
                  Kind.TEXT,
                  "Where the target is: a pointer such as /name, or a path such as $.items[0].name;"
                      + " $ is the whole document. Default: the target is not looked at."),
              optional(
                  "schema",
                  Kind.ANY,
                  "The JSON schema that the output must fit: a mapping, or the path of a file."
                      + " Default: none."),
              optional(
                  "strict",
                  Kind.FLAG,
                  "Whether the output must be JSON alone; otherwise JSON between ``` will do."
                      + " Default: false.")),
          arguments ->
              new JsonScorer(
                  schema(arguments),
                  arguments
                      .text("path")
                      .map(
                          text ->
                              JsonPath.parse(text)
                                  .orElseThrow(
                                      () ->
                                          arguments.wrong(
                                              "path",
                                              JsonPath.RULE + ", was '%s'".formatted(text)))),
                  arguments.flag("strict").orElse(false)));

  /** A schema that is ready to use. */
  record Schema(Validator validator, URI uri) {}

  private static Optional<Schema> schema(Arguments arguments) {
    return arguments
        .value("schema")
        .map(
            given -> {
              JsonNode schema =
                  given instanceof Map || given instanceof Boolean
                      ? JsonValues.MAPPER.valueToTree(given)
                      : read(arguments);
              try {
                var validator =
                    new ValidatorFactory()
                        .withJsonNodeFactory(SchemaNode.FACTORY)
                        .createValidator();
                return new Schema(
                    validator, validator.registerSchema(SchemaNode.FACTORY.wrap(schema)));
              } catch (InvalidSchemaException unusable) {
                throw arguments.wrong(
                    "schema",
                    "is no usable JSON schema: "
                        + unusable.getErrors().stream()
                            .findFirst()
                            .map(JsonScorer::told)
                            .orElse("it says nothing that a schema may say"));
              } catch (JsonSchemaException | IllegalArgumentException unusable) {
                throw arguments.wrong(
                    "schema", "is no usable JSON schema: " + unusable.getMessage());
              }
            });
  }

  private static JsonNode read(Arguments arguments) {
    Path file = arguments.path("schema").orElseThrow();
    try {
      return JsonValues.MAPPER.readTree(Files.readString(file));
    } catch (IOException unreadable) {
      throw arguments.wrong(
          "schema", "cannot be used: " + InputFile.unreadable(file, unreadable).getMessage());
    } catch (JacksonException malformed) {
      throw arguments.wrong("schema", "is not JSON: " + file);
    }
  }

  @Override
  public Score score(SampleState state, SampleContext context) {
    String output = Targets.output(state);
    Optional<JsonNode> document = strict ? JsonValues.parse(output) : JsonValues.find(output);
    if (document.isEmpty()) {
      return Score.WRONG.withExplanation("the output is not JSON");
    }
    Optional<String> misfit = schema.flatMap(rules -> misfit(rules, document.get()));
    if (misfit.isPresent()) {
      return Score.WRONG.withExplanation(misfit.get());
    }
    return path.isPresent() ? compare(path.get(), document.get(), state) : Score.RIGHT;
  }

  /** Why a document does not fit, if so. */
  private static Optional<String> misfit(Schema rules, JsonNode document) {
    Validator.Result result =
        rules.validator().validate(rules.uri(), SchemaNode.FACTORY.wrap(document));
    if (result.isValid()) {
      return Optional.empty();
    }
    return Optional.of(
        "the output does not fit the schema: "
            + result.getErrors().stream()
                .limit(MOST_ERRORS_TOLD)
                .map(JsonScorer::told)
                .collect(Collectors.joining("; ")));
  }

  private static String told(Error error) {
    String place = error.getInstanceLocation();
    return "%s: %s".formatted(place.isEmpty() ? "the document" : place, error.getError());
  }

  private static Score compare(JsonPath path, JsonNode document, SampleState state) {
    List<String> targets = Targets.of(state);
    List<JsonNode> found = path.find(document);
    if (found.isEmpty()) {
      return Score.WRONG.withExplanation("the output has nothing at the path");
    }
    for (JsonNode value : found) {
      if (targets.stream().anyMatch(target -> JsonValues.matches(value, target))) {
        return Score.RIGHT.withAnswer(shown(value));
      }
    }
    return Score.WRONG.withAnswer(
        found.stream().limit(5).map(JsonScorer::shown).collect(Collectors.joining(", ")));
  }

  private static String shown(JsonNode value) {
    return value.isString() ? value.asString() : value.toString();
  }
}
