package dev.weir.eval.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.eval.sample.EvalTool;
import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sample.SampleState;
import dev.weir.model.ToolCall;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.json.JsonMapper;

class JavaToolTest {

  private final RealContext context = new RealContext();

  @AfterEach
  void close() {
    context.close();
  }

  enum Unit {
    METRE,
    FOOT
  }

  record Point(@Param("to the east") double x, double y, Optional<String> label) {
    Point {
      if (x < 0) {
        throw new IllegalArgumentException("x must be >= 0");
      }
    }
  }

  record Answer(String text, List<Integer> numbers) {}

  /** One method for each way to go. */
  static final class Desk {

    @ToolMethod("Measures a way.")
    Answer measure(
        @Param("the points") List<Point> points,
        @Param("how often") int times,
        @Param("a number") long large,
        @Param("in what") Unit unit,
        @Param(name = "is_round", value = "there and back") boolean round,
        @Param("more") Optional<List<String>> notes,
        SampleContext context,
        SampleState state,
        ToolCall call) {
      String text =
          "%s %s %s %s %s %s %s %s"
              .formatted(
                  points, times, large, unit, round, notes, state.sample().input(), call.id());
      return new Answer(text, context == null ? List.of() : List.of(1, 2));
    }

    @ToolMethod(value = "Fails as told.", name = "fail")
    static String failing(@Param("how") String how) throws Exception {
      throw switch (how) {
        case "told" -> new ToolException("there is no such book");
        case "checked" -> new IOException("disk full");
        case "interrupted" -> new InterruptedException("cancelled");
        default -> new IllegalStateException("broken");
      };
    }

    @ToolMethod("Says nothing.")
    void nothing() {}

    @ToolMethod("Gives a map.")
    Map<String, Integer> table() {
      return Map.of("a", 1);
    }
  }

  private EvalTool tool(String name) {
    return Tools.of(new Desk()).stream()
        .filter(tool -> tool.definition().name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void theSchemaSaysWhatTheMethodTakes() {
    assertThat(Tools.of(new Desk()).stream().map(tool -> tool.definition().name()))
        .containsExactly("fail", "measure", "nothing", "table");
    var definition = tool("measure").definition();
    assertThat(definition.description()).isEqualTo("Measures a way.");
    var json = new JsonMapper();
    assertThat(json.readTree(definition.parameters()))
        .isEqualTo(
            json.readTree(
                """
                {"type": "object",
                 "properties": {
                  "points": {"type": "array", "description": "the points", "items": {
                    "type": "object",
                    "properties": {
                      "x": {"type": "number", "description": "to the east"},
                      "y": {"type": "number"},
                      "label": {"type": "string"}},
                    "required": ["x", "y"],
                    "additionalProperties": false}},
                  "times": {"type": "integer", "description": "how often"},
                  "large": {"type": "integer", "description": "a number"},
                  "unit": {"type": "string", "enum": ["METRE", "FOOT"], "description": "in what"},
                  "is_round": {"type": "boolean", "description": "there and back"},
                  "notes": {"type": "array", "items": {"type": "string"}, "description": "more"}},
                 "required": ["points", "times", "large", "unit", "is_round"],
                 "additionalProperties": false}
                """));
  }

  @Test
  void argumentsAreConvertedAndTheRestIsGiven() throws Exception {
    EvalTool.Result result =
        context.call(
            tool("measure"),
            """
            {"points": [{"x": 1, "y": 2.5}, {"x": 0, "y": 1, "label": "end"}], "times": 5.0,
             "large": 9007199254740993, "unit": "FOOT", "is_round": true, "notes": ["a", "b"]}
            """);
    assertThat(result.text())
        .isEqualTo(
            "{\"text\":\"[Point[x=1.0, y=2.5, label=Optional.empty],"
                + " Point[x=0.0, y=1.0, label=Optional[end]]] 5 9007199254740993 FOOT true"
                + " Optional[[a, b]] a question 1\",\"numbers\":[1,2]}");
    assertThat(result.failed()).isFalse();
    assertThat(context.call(tool("nothing"), "").text()).isEmpty();
    assertThat(context.call(tool("table"), "{}").text()).isEqualTo("{\"a\":1}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      textBlock =
          """
          {"points": [                                     | the arguments of measure are not JSON
          [1]                                              | the arguments of measure must be a JSON object
          {"point": []}                                    | `point` is not known; did you mean 'points'?
          {}                                               | `points` is missing
          {"points": null}                                 | `points` is missing
          {"points": 5}                                    | `points` must be a list, was 5
          {"points": [{"x": 1}]}                           | `points[0].y` is missing
          {"points": [{"x": 1, "y": "far"}]}               | `points[0].y` must be a number, was "far"
          {"points": [{"x": -1, "y": 1}]}                  | `points[0]`: x must be >= 0
          {"points": [], "times": 1.5}                     | `times` must be a whole number, was 1.5
          {"points": [], "times": 3000000000}              | `times` must be a whole number, was 3000000000
          {"points": [], "times": 1, "large": "1"}         | `large` must be a whole number, was "1"
          {"points": [], "times": 1, "large": 1, "unit": "METER"} | did you mean 'METRE'?
          {"points": [], "times": 1, "large": 1, "unit": 3} | `unit` must be one of METRE, FOOT, was 3
          """)
  void theModelIsToldWhatIsWrong(String arguments, String told) throws Exception {
    EvalTool.Result result = context.call(tool("measure"), arguments);
    assertThat(result.failed()).isTrue();
    assertThat(result.text()).contains(told);
  }

  @Test
  void onlyAToolExceptionIsToldToTheModel() throws Exception {
    EvalTool fail = tool("fail");
    assertThat(context.call(fail, "{\"how\": \"told\"}"))
        .isEqualTo(EvalTool.Result.failure("there is no such book"));
    assertThatExceptionOfType(IllegalStateException.class)
        .isThrownBy(() -> context.call(fail, "{\"how\": \"\"}"))
        .withMessage("broken");
    assertThatExceptionOfType(IllegalStateException.class)
        .isThrownBy(() -> context.call(fail, "{\"how\": \"checked\"}"))
        .withMessage("the tool fail failed: java.io.IOException: disk full");
    assertThatExceptionOfType(InterruptedException.class)
        .isThrownBy(() -> context.call(fail, "{\"how\": \"interrupted\"}"));
  }

  record Endless(List<Endless> more) {}

  static class Undescribed {
    @ToolMethod("x")
    void tool(String bare) {}
  }

  static class Unknown {
    @ToolMethod("x")
    void tool(@Param("y") Map<String, String> map) {}
  }

  static class Recursive {
    @ToolMethod("x")
    void tool(@Param("y") Endless endless) {}
  }

  static class Twice {
    @ToolMethod("x")
    void tool(@Param("y") String a) {}

    @ToolMethod("x")
    void tool(@Param("y") int a) {}
  }

  @Test
  void whatAModelCannotBeToldIsRefusedAtOnce() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Tools.of("text"))
        .withMessageContaining("@ToolMethod");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Tools.of(new Undescribed()))
        .withMessageContaining("must have a @Param");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Tools.of(new Unknown()))
        .withMessageContaining("must be a String")
        .withMessageContaining("Map");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Tools.of(new Recursive()))
        .withMessageContaining("contains itself");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Tools.of(new Twice()))
        .withMessageContaining("must be the name of one tool");
  }

  @Test
  void aFunctionIsATool() throws Exception {
    String schema =
        """
        {"type": "object", "properties": {"a": {"type": "number"}}, "required": ["a"]}
        """;
    EvalTool tool =
        Tools.function(
            "twice",
            "Doubles.",
            schema,
            arguments -> {
              if (!(arguments.get("a") instanceof Number number)) {
                throw new ToolException("`a` must be a number");
              }
              return List.of(number.doubleValue() * 2);
            });
    assertThat(tool.definition().parameters()).isEqualTo(schema);
    assertThat(context.call(tool, "{\"a\": 4}").text()).isEqualTo("[8.0]");
    assertThat(context.call(tool, "{}")).isEqualTo(EvalTool.Result.failure("`a` is missing"));
    assertThat(context.call(tool, "{\"a\": \"x\"}").text()).isEqualTo("`a` must be a number");
    assertThat(context.call(tool, "{\"a\"").failed()).isTrue();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Tools.function("x", "y", "[]", _ -> ""))
        .withMessageContaining("`schemaJson` must be the JSON schema of an object");
  }
}
