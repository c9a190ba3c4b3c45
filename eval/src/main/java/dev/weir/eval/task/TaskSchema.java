package dev.weir.eval.task;

import dev.weir.eval.component.Component;
import dev.weir.eval.component.Parameter;
import dev.weir.eval.dataset.DatasetFile;
import dev.weir.eval.dataset.Fields;
import dev.weir.eval.metric.Metrics;
import dev.weir.eval.option.LimitOptions.ConcurrencyMode;
import dev.weir.eval.option.Option;
import dev.weir.eval.option.Options;
import dev.weir.eval.option.TraceOptions.LogLevel;
import dev.weir.eval.sandbox.SandboxType;
import dev.weir.eval.scorer.Scorers;
import dev.weir.eval.solver.Solvers;
import dev.weir.model.ReasoningEffort;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * The JSON Schema of task files, for editors to complete and check them. Made of the tables that
 * reading them goes by, so that it cannot say anything else.
 */
public final class TaskSchema {

  private static final JsonMapper JSON =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  /** A text that stands for something else, and so for a value of any kind. */
  private static final Map<String, Object> EXPRESSION = Map.of("$ref", "#/$defs/variable");

  private static final Map<String, Object> SCALAR =
      Map.of("type", List.of("string", "number", "boolean"));
  private static final Map<String, Object> SCALARS = anyOf(SCALAR, listOf(SCALAR));

  /** Options that are one of a few words, which editors complete. */
  private static final Map<String, List<String>> WORDS =
      Map.of(
          "concurrency-mode",
          Stream.of(ConcurrencyMode.values()).map(ConcurrencyMode::word).toList(),
          "log-level",
          Stream.of(LogLevel.values()).map(LogLevel::word).toList(),
          "reasoning-effort",
          Stream.of(ReasoningEffort.values()).map(ReasoningEffort::word).toList());

  private static final Map<String, Object> NOTHING = Map.of("type", "null");

  private TaskSchema() {}

  /** The whole schema, as text that ends in a line break. */
  public static String json() {
    Map<String, Object> schema = new LinkedHashMap<>();
    schema.put("$schema", "https://json-schema.org/draft/2020-12/schema");
    schema.put("title", "Weir task");
    schema.put("description", "What is to be evaluated; see docs/tasks.md.");
    schema.put("type", "object");
    Map<String, Object> properties = new LinkedHashMap<>();
    TaskEntries.PARTS.forEach(key -> properties.put(key, part(key)));
    Options.all().forEach(option -> properties.put(option.key(), option(option)));
    schema.put("properties", properties);
    schema.put("additionalProperties", false);
    // What is not here may be in a file that is included.
    schema.put(
        "anyOf",
        List.of(
            required("include"),
            Map.of("required", List.of("task", "dataset", "solver", "scorer"))));
    Map<String, Object> definitions = new LinkedHashMap<>();
    definitions.put("variable", variable());
    definitions.put("sample", sample());
    schema.put("$defs", definitions);
    return JSON.writeValueAsString(schema).replace("\r\n", "\n") + "\n";
  }

  private static Map<String, Object> variable() {
    return described(
        textLike("\\$\\{|\\{\\{"),
        "A variable: ${NAME} of the environment, {{ name }} of the task.");
  }

  private static Map<String, Object> part(String key) {
    return switch (key) {
      case "include" ->
          described(
              anyOf(Map.of("type", "string"), listOf(Map.of("type", "string"))),
              "Task files whose entries hold where this one has none.");
      case "vars" ->
          described(
              objectWith("propertyNames", Map.of("pattern", "^[A-Za-z_][A-Za-z0-9_]*$")),
              "Variables, for {{ name }}; -T name=value sets another value.");
      case "task" -> described(SCALAR, "The name of the task.");
      case "dataset" ->
          described(
              anyOf(Map.of("type", "string"), rows(), dataset()),
              "The samples: a file or folder, a list, or a mapping with settings.");
      case "solver" -> components("solver", Solvers.all(), Map.of());
      case "scorer" -> components("scorer", Scorers.all(), besideScorers());
      case "metrics" -> described(metrics(), "What is made of the scores of all samples.");
      case "sandbox" ->
          described(anyOf(sandboxType(), sandbox()), "Where tools and setup scripts run.");
      default -> throw new IllegalStateException("no schema for `%s`".formatted(key));
    };
  }

  private static Map<String, Object> rows() {
    return listOf(Map.of("$ref", "#/$defs/sample"));
  }

  private static Map<String, Object> sample() {
    Map<String, Object> properties = new LinkedHashMap<>();
    Fields.NAMES.forEach(name -> properties.put(name, sampleField(name)));
    return object(properties);
  }

  private static Map<String, Object> sampleField(String name) {
    return switch (name) {
      case "input" ->
          described(
              anyOf(SCALAR, listOf(Map.of("type", "object"))),
              "The question: text, or a list of messages {role, content}.");
      case "target" ->
          described(
              anyOf(SCALARS, NOTHING),
              "What a right answer is measured by: text, or a list of which any will do.");
      case "choices" -> described(anyOf(SCALARS, NOTHING), "The answers to choose from.");
      case "id" -> described(anyOf(SCALAR, NOTHING), "Unique; default: the number of the row.");
      case "metadata" ->
          described(
              Map.of("type", List.of("object", "string", "null")),
              "What else is known, for templates and grouped metrics.");
      case "files" ->
          described(
              Map.of("type", List.of("object", "string", "null")),
              "Files for the sandbox: a mapping of path to content.");
      case "setup" ->
          described(
              Map.of("type", List.of("string", "null")), "A script that prepares the sandbox.");
      default -> throw new IllegalStateException("no schema for `%s`".formatted(name));
    };
  }

  private static Map<String, Object> dataset() {
    Map<String, Object> properties = new LinkedHashMap<>();
    DatasetEntry.KEYS.forEach(key -> properties.put(key, datasetEntry(key)));
    Map<String, Object> dataset = object(properties);
    dataset.put("oneOf", List.of(required("file"), required("samples")));
    // With `fields`, columns may have any name.
    dataset.put("if", Map.of("not", required("fields")));
    dataset.put("then", Map.of("properties", Map.of("samples", rows())));
    return dataset;
  }

  private static Map<String, Object> datasetEntry(String key) {
    return switch (key) {
      case "file" ->
          described(
              Map.of("type", "string"), "A file or folder; - is standard input, with `format`.");
      case "samples" -> described(listOf(Map.of("type", "object")), "The samples themselves.");
      case "format" ->
          described(
              anyOf(Map.of("enum", DatasetFile.FORMATS), EXPRESSION),
              "What the file is, if its name does not tell.");
      case "fields" -> described(fields(), "Which columns are what.");
      case "limit" ->
          described(
              Map.of("type", List.of("integer", "string")),
              "Only the first samples, or a range such as 11-20.");
      case "shuffle" ->
          described(
              Map.of("type", List.of("boolean", "integer", "string")),
              "Whether to shuffle, or the seed to shuffle by.");
      case "sample_id" -> described(SCALARS, "Only these samples; * stands for any text.");
      case "auto_id" ->
          described(flag(), "Whether to number samples from 1 whatever ids they have.");
      default -> throw new IllegalStateException("no schema for `%s`".formatted(key));
    };
  }

  private static Map<String, Object> fields() {
    Map<String, Object> properties = new LinkedHashMap<>();
    for (String name : Fields.NAMES) {
      boolean mayBeSeveral = name.equals("choices") || name.equals("metadata");
      properties.put(name, mayBeSeveral ? SCALARS : SCALAR);
    }
    return object(properties);
  }

  private static Map<String, Object> besideScorers() {
    Map<String, Object> properties = new LinkedHashMap<>();
    properties.put("name", described(SCALAR, "What its scores are called."));
    properties.put("metrics", described(metrics(), "What is made of its scores."));
    return properties;
  }

  private static Map<String, Object> metrics() {
    Map<String, Object> properties = new LinkedHashMap<>();
    Metrics.names()
        .forEach(name -> properties.put(name, Map.of("type", List.of("object", "null"))));
    Map<String, Object> withArguments = object(properties);
    withArguments.put("minProperties", 1);
    withArguments.put("maxProperties", 1);
    Map<String, Object> metric = anyOf(Map.of("enum", Metrics.names()), withArguments, EXPRESSION);
    Map<String, Object> list = listOf(metric);
    list.put("minItems", 1);
    return anyOf(metric, list);
  }

  private static Map<String, Object> sandboxType() {
    String types =
        Arrays.stream(SandboxType.values()).map(SandboxType::word).collect(Collectors.joining("|"));
    return anyOf(textLike("^(%s)(:.*)?$".formatted(types)), EXPRESSION);
  }

  private static Map<String, Object> sandbox() {
    Map<String, Object> properties = new LinkedHashMap<>();
    for (String key : SandboxEntry.KEYS) {
      properties.put(
          key,
          switch (key) {
            case "type" -> sandboxType();
            case "network" -> flag();
            case "mounts" -> SCALARS;
            case "env" -> objectWith("additionalProperties", SCALAR);
            default -> SCALAR;
          });
    }
    Map<String, Object> sandbox = object(properties);
    sandbox.put("required", List.of("type"));
    return sandbox;
  }

  /** One, or a list of them. */
  private static <T> Map<String, Object> components(
      String kind, List<Component<T>> all, Map<String, Object> beside) {
    List<Object> forms =
        Stream.concat(
                all.stream()
                    .filter(
                        component -> component.parameters().stream().noneMatch(Parameter::required))
                    .map(
                        component ->
                            described(Map.of("const", component.name()), component.description())),
                Stream.of(withArguments(all, beside), EXPRESSION))
            .collect(Collectors.toList());
    Map<String, Object> one = Map.of("anyOf", forms);
    Map<String, Object> list = listOf(one);
    list.put("minItems", 1);
    return described(anyOf(one, list), "A %s, or several.".formatted(kind));
  }

  private static <T> Map<String, Object> withArguments(
      List<Component<T>> all, Map<String, Object> beside) {
    Map<String, Object> properties = new LinkedHashMap<>();
    all.forEach(component -> properties.put(component.name(), arguments(component)));
    properties.putAll(beside);
    Map<String, Object> form = object(properties);
    form.put("oneOf", all.stream().map(component -> required(component.name())).toList());
    return form;
  }

  private static Map<String, Object> arguments(Component<?> component) {
    List<Parameter> parameters = component.parameters();
    Map<String, Object> properties = new LinkedHashMap<>();
    parameters.forEach(
        parameter ->
            properties.put(
                parameter.name(), described(kind(parameter.kind()), parameter.description())));
    List<String> needed =
        parameters.stream().filter(Parameter::required).map(Parameter::name).toList();
    Map<String, Object> byName = object(properties);
    if (!needed.isEmpty()) {
      byName.put("required", needed);
    }
    Stream.Builder<Map<String, Object>> forms = Stream.builder();
    forms.add(byName);
    if (needed.isEmpty()) {
      forms.add(NOTHING);
    }
    if (!parameters.isEmpty() && parameters.stream().skip(1).noneMatch(Parameter::required)) {
      forms.add(kind(parameters.getFirst().kind()));
    }
    return described(Map.of("anyOf", forms.build().toList()), component.description());
  }

  private static Map<String, Object> kind(Parameter.Kind kind) {
    return switch (kind) {
      case TEXT -> SCALAR;
      case WHOLE -> anyOf(Map.of("type", "integer"), EXPRESSION);
      case NUMBER -> anyOf(Map.of("type", "number"), EXPRESSION);
      case FLAG -> flag();
      case TEXTS -> SCALARS;
      case MAPPING -> anyOf(Map.of("type", "object"), EXPRESSION);
      case LIST -> anyOf(Map.of("type", "array"), EXPRESSION);
      case ANY -> Map.of();
    };
  }

  /** What the label of an option tells of its values. */
  private static Map<String, Object> option(Option option) {
    Map<String, Object> values;
    List<String> words = WORDS.get(option.name());
    if (words != null) {
      values = anyOf(Map.of("enum", words), EXPRESSION);
    } else if (option.merged()) {
      values = Map.of("type", List.of("object", "string"));
    } else if (option.label().contains("[,") || option.name().equals("model")) {
      values = SCALARS;
    } else if (option.label().equals("BOOL")) {
      values = flag();
    } else if (option.label().equals("JSON")) {
      values = Map.of("type", List.of("object", "string"));
    } else if (option.alone().isPresent() || option.label().equals("RANGE")) {
      values = SCALAR;
    } else if (List.of("N", "TIME", "USD", "TOKENS").contains(option.label())) {
      values = Map.of("type", List.of("number", "string"));
    } else {
      values = Map.of("type", "string");
    }
    return described(values, option.description());
  }

  private static Map<String, Object> flag() {
    return anyOf(Map.of("type", "boolean"), EXPRESSION);
  }

  private static Map<String, Object> textLike(String pattern) {
    Map<String, Object> text = new LinkedHashMap<>();
    text.put("type", "string");
    text.put("pattern", pattern);
    return text;
  }

  private static Map<String, Object> objectWith(String keyword, Map<String, Object> value) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("type", "object");
    object.put(keyword, value);
    return object;
  }

  private static Map<String, Object> object(Map<String, Object> properties) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("type", "object");
    object.put("properties", properties);
    object.put("additionalProperties", false);
    return object;
  }

  private static Map<String, Object> listOf(Map<String, Object> items) {
    Map<String, Object> list = new LinkedHashMap<>();
    list.put("type", "array");
    list.put("items", items);
    return list;
  }

  @SafeVarargs
  @SuppressWarnings("varargs") // The array is only read.
  private static Map<String, Object> anyOf(Map<String, Object>... forms) {
    return Map.of("anyOf", List.of(forms));
  }

  private static Map<String, Object> required(String key) {
    return Map.of("required", List.of(key));
  }

  private static Map<String, Object> described(Map<String, Object> schema, String description) {
    Map<String, Object> described = new LinkedHashMap<>();
    described.put("description", description);
    described.putAll(schema);
    return described;
  }
}
