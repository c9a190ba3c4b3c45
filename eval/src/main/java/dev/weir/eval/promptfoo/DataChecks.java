package dev.weir.eval.promptfoo;

import dev.weir.eval.scorer.NoScoreException;
import dev.weir.model.ConfigurationException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Assertions that look at JSON and at calls of functions. */
final class DataChecks {

  private DataChecks() {}

  /** The whole output, and if there is a schema, it must fit. */
  static Check isJson(Optional<Value> schema) {
    return (answer, _) -> {
      Optional<Json.Parsed> parsed =
          answer.output() instanceof String text
              ? Json.parse(text)
              : Optional.of(new Json.Parsed(answer.output()));
      if (parsed.isEmpty()) {
        return Verdict.wrong("the output is no JSON");
      }
      return schema
          .flatMap(value -> Schemas.problem(schema(value, answer), parsed.get().data()))
          .map(problem -> Verdict.wrong("the JSON does not fit the schema: " + problem))
          .orElse(Verdict.of(true, 1, ""));
    };
  }

  /** Some object or list in the output that fits the schema, if there is one. */
  static Check containsJson(Optional<Value> schema) {
    return (answer, _) -> {
      Optional<Object> wanted = schema.map(value -> schema(value, answer));
      boolean found =
          Json.find(
                  answer.text(),
                  parsed ->
                      wanted.isEmpty() || Schemas.problem(wanted.get(), parsed.data()).isEmpty())
              .isPresent();
      return Verdict.of(
          found, wanted.isPresent() ? "contain JSON that fits the schema" : "contain JSON");
    };
  }

  /** What is wrong with a schema that is the same for all answers. */
  static Optional<String> defect(Value schema) {
    try {
      return Schemas.defect(parsed(schema.plain(), schema));
    } catch (ConfigurationException notYaml) {
      return Optional.of("the schema cannot be used: it is neither YAML nor JSON");
    }
  }

  private static Object schema(Value value, Answer answer) {
    Object schema = parsed(answer.fillAll(value.plain()), value);
    if (!Templates.isConstant(value)) {
      Schemas.defect(schema)
          .ifPresent(
              defect -> {
                throw new NoScoreException("%s: %s".formatted(value.place(), defect));
              });
    }
    return schema;
  }

  /** A mapping, or a text in YAML or JSON. */
  private static Object parsed(@Nullable Object schema, Value value) {
    Object plain =
        schema instanceof String text
            ? YamlReader.parse(value.place().file(), text).plain()
            : schema;
    return plain == null ? Map.of() : plain;
  }

  /** One call, as {@code functions} have it: a name, and arguments that fit. */
  static Check functionCall() {
    return (answer, _) -> {
      Object output = data(answer);
      if (output instanceof Map<?, ?> map) {
        Object call = map.get("function_call") instanceof Map<?, ?> nested ? nested : map;
        if (call instanceof Map<?, ?> function && function.get("name") instanceof String) {
          return verdict(callProblem(function, answer.target().tools()));
        }
      }
      return Verdict.wrong("the output is no call of a function");
    };
  }

  /** A list of calls, as {@code tools} have it; each must fit. */
  static Check toolCalls() {
    return (answer, _) -> {
      Object output = data(answer);
      Object calls = output instanceof Map<?, ?> map ? map.get("tool_calls") : output;
      if (!(calls instanceof List<?> list) || list.isEmpty()) {
        return Verdict.wrong("the output has no calls of tools");
      }
      for (Object call : list) {
        Optional<String> problem =
            call instanceof Map<?, ?> map
                    && "function".equals(map.get("type"))
                    && map.get("function") instanceof Map<?, ?> function
                ? callProblem(function, answer.target().tools())
                : Optional.of("the output has something that is no call of a function");
        if (problem.isPresent()) {
          return verdict(problem);
        }
      }
      return verdict(Optional.empty());
    };
  }

  /** Either. */
  static Check anyCall() {
    Check one = functionCall();
    Check several = toolCalls();
    return (answer, context) -> {
      Object output = data(answer);
      boolean isList =
          output instanceof List || (output instanceof Map<?, ?> m && m.containsKey("tool_calls"));
      return (isList ? several : one).check(answer, context);
    };
  }

  private static Verdict verdict(Optional<String> problem) {
    return problem.map(Verdict::wrong).orElse(Verdict.of(true, 1, ""));
  }

  private static @Nullable Object data(Answer answer) {
    return answer.output() instanceof String text
        ? Json.parse(text).map(Json.Parsed::data).orElse(null)
        : answer.output();
  }

  private static Optional<String> callProblem(Map<?, ?> function, OfferedTools offered) {
    String name = String.valueOf(function.get("name"));
    var tool = offered.named(name);
    if (tool.isEmpty()) {
      List<String> known = new ArrayList<>();
      offered.tools().forEach(one -> known.add(one.name()));
      return Optional.of(
          "'%s' was called, but the provider was offered %s"
              .formatted(name, known.isEmpty() ? "nothing" : String.join(", ", known)));
    }
    Object given = function.get("arguments");
    Optional<Json.Parsed> arguments =
        given instanceof String text ? Json.parse(text) : Optional.of(new Json.Parsed(given));
    if (arguments.isEmpty()) {
      return Optional.of("the arguments of '%s' are no JSON".formatted(name));
    }
    Object schema = Json.parse(tool.get().parameters()).map(Json.Parsed::data).orElse(Map.of());
    return Schemas.problem(schema, arguments.get().data())
        .map("the arguments of '%s' do not fit: %%s".formatted(name)::formatted);
  }
}
