package dev.weir.log.inspect;

import dev.harrel.jsonschema.Dialects;
import dev.harrel.jsonschema.Validator;
import dev.harrel.jsonschema.ValidatorFactory;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Checks each member of a log against the schema that Inspect publishes. */
public final class InspectSchema {

  private static final String AT = "urn:inspect";

  /** Said of what contains a problem, which is told by itself. */
  private static final List<String> FOLLOWS =
      List.of(
          "Value matches against schema from 'if'",
          "Value does not match against the schemas at indexes");

  private final Validator validator;

  public InspectSchema() {
    ObjectNode openapi = (ObjectNode) new JsonMapper().readTree(InspectLog.schema());
    ObjectNode schema = new JsonMapper().createObjectNode();
    ObjectNode types = (ObjectNode) openapi.path("components").path("schemas");
    adapt(types, types);
    schema.set("$defs", types);
    validator =
        new ValidatorFactory()
            .withJsonNodeFactory(TreeNode.FACTORY)
            .withDefaultDialect(new Dialects.Draft2020Dialect())
            .createValidator();
    validator.registerSchema(
        URI.create(AT), schema.toString().replace("#/components/schemas/", "#/$defs/"));
  }

  /**
   * The schema tells what Inspect has in memory. In files it leaves out what is null, so that
   * nothing that may be null is required; and where a field tells which of several types is meant,
   * only that one is tried, or nobody could read the problems.
   */
  private static void adapt(JsonNode schema, JsonNode types) {
    schema.forEach(part -> adapt(part, types));
    if (schema instanceof ObjectNode object) {
      if (object.path("required") instanceof ArrayNode required) {
        JsonNode properties = object.path("properties");
        required.removeIf(name -> mayBeNull(properties.path(name.asString()), types));
      }
      for (String word : List.of("anyOf", "oneOf")) {
        String field = tellingField(object.path(word), types);
        if (field != null) {
          object.set("allOf", choices(object.remove(word), field, types));
        }
      }
    }
  }

  private static boolean mayBeNull(JsonNode schema, JsonNode types) {
    if (schema.has("$ref")) {
      return mayBeNull(types.path(type(schema)), types);
    }
    boolean isAnything =
        List.of("type", "anyOf", "oneOf", "allOf", "const", "enum").stream().noneMatch(schema::has);
    return isAnything
        || schema
            .path("anyOf")
            .valueStream()
            .anyMatch(one -> one.path("type").asString("").equals("null"));
  }

  private static String type(JsonNode reference) {
    return reference.path("$ref").asString("").replace("#/components/schemas/", "");
  }

  /** The field by whose constant value the types differ, if there is one. */
  private static @Nullable String tellingField(JsonNode choices, JsonNode types) {
    if (choices.size() < 2) {
      return null;
    }
    for (String field : List.of("event", "role", "type")) {
      long different =
          choices.valueStream().map(one -> constant(one, field, types)).distinct().count();
      boolean isIn = choices.valueStream().noneMatch(one -> constant(one, field, types).isEmpty());
      if (isIn && different == choices.size()) {
        return field;
      }
    }
    return null;
  }

  private static String constant(JsonNode choice, String field, JsonNode types) {
    return types.path(type(choice)).path("properties").path(field).path("const").asString("");
  }

  private static ArrayNode choices(JsonNode choices, String field, JsonNode types) {
    ArrayNode all = new JsonMapper().createArrayNode();
    ObjectNode known = all.addObject();
    known.putArray("required").add(field);
    ArrayNode values = known.putObject("properties").putObject(field).putArray("enum");
    for (JsonNode choice : choices) {
      String value = constant(choice, field, types);
      values.add(value);
      ObjectNode rule = all.addObject();
      rule.putObject("if").putObject("properties").putObject(field).put("const", value);
      rule.set("then", choice);
    }
    return all;
  }

  /** What is wrong with a log, by member; empty if nothing is. */
  public Map<String, List<String>> problems(Path log) throws IOException {
    Map<String, List<String>> problems = new TreeMap<>();
    try (var zip = new ZipReader(log, Source.of(log))) {
      ZipDirectory members = zip.directory();
      for (ZipMember member = members.next(); member != null; member = members.next()) {
        List<String> found = problems(member.name(), zip.read(member));
        if (!found.isEmpty()) {
          problems.put(member.name(), found);
        }
      }
    }
    return problems;
  }

  /** What is wrong with a member, each with its place in the JSON. */
  public List<String> problems(String member, byte[] json) throws IOException {
    JsonNode tree = InspectJson.MAPPER.readTree(json);
    String type = type(member);
    if (!type.endsWith("[]")) {
      return problems(type, tree, "");
    }
    if (!tree.isArray()) {
      return List.of(": not an array");
    }
    List<String> problems = new ArrayList<>();
    for (int i = 0; i < tree.size(); i++) {
      problems.addAll(problems(type.substring(0, type.length() - 2), tree.get(i), "/" + i));
    }
    return problems;
  }

  private static String type(String member) throws IOException {
    if (member.startsWith("samples/")) {
      return "EvalSample";
    }
    if (member.startsWith("_journal/summaries/")) {
      return "EvalSampleSummary[]";
    }
    return switch (member) {
      case "_journal/start.json" -> "LogStart";
      case "summaries.json" -> "EvalSampleSummary[]";
      case "reductions.json" -> "EvalSampleReductions[]";
      case "header.json" -> "EvalLog";
      default -> throw new IOException("no member of a log: " + member);
    };
  }

  /** Parts of a log that have no type of their own. */
  private static final Map<String, Map<String, String>> PARTS =
      Map.of("LogStart", Map.of("eval", "EvalSpec", "plan", "EvalPlan"));

  private List<String> problems(String type, JsonNode tree, String at) {
    List<String> problems = new ArrayList<>();
    if (PARTS.containsKey(type)) {
      PARTS
          .get(type)
          .forEach(
              (field, part) -> problems.addAll(problems(part, tree.path(field), at + "/" + field)));
      return problems;
    }
    Validator.Result result =
        validator.validate(URI.create(AT + "#/$defs/" + type), TreeNode.FACTORY.wrap(tree));
    for (var error : result.getErrors()) {
      if (FOLLOWS.stream().noneMatch(error.getError()::startsWith)) {
        problems.add(at + error.getInstanceLocation() + ": " + error.getError());
      }
    }
    return problems;
  }
}
