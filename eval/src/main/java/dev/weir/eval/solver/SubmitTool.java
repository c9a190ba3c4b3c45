package dev.weir.eval.solver;

import dev.weir.eval.sample.EvalTool;
import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sample.SampleState;
import dev.weir.model.Tool;
import dev.weir.model.ToolCall;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Takes the answer of one agent. Not thread-safe: belongs to the task that runs the sample. */
final class SubmitTool implements EvalTool {

  private static final JsonMapper JSON = new JsonMapper();

  private static final String PARAMETERS =
      """
      {"type":"object","properties":{"answer":{"type":"string","description":"Your final answer."}},\
      "required":["answer"],"additionalProperties":false}\
      """;

  private final Tool definition;
  private @Nullable String answer;

  SubmitTool(Submission submission) {
    this.definition = new Tool(submission.name(), submission.description(), PARAMETERS);
  }

  @Override
  public Tool definition() {
    return definition;
  }

  @Override
  public Result run(ToolCall call, SampleState state, SampleContext context) {
    JsonNode given;
    try {
      given = JSON.readTree(call.arguments()).path("answer");
    } catch (JacksonException malformed) {
      given = JSON.missingNode();
    }
    if (given.isMissingNode() || given.isNull()) {
      return Result.failure(
          "Nothing was submitted: the argument `answer` is missing. Call %s with {\"answer\": \"…\"}."
              .formatted(definition.name()));
    }
    answer = given.isString() ? given.asString() : given.toString();
    return Result.of("Submitted.");
  }

  /** What was submitted since this was last asked, if anything. */
  Optional<String> take() {
    Optional<String> taken = Optional.ofNullable(answer);
    answer = null;
    return taken;
  }
}
