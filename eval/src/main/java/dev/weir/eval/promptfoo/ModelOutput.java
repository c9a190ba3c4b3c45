package dev.weir.eval.promptfoo;

import dev.weir.eval.sample.Generator;
import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sample.Used;
import dev.weir.model.GenerationSettings;
import dev.weir.model.Message;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.ToolCall;
import dev.weir.model.price.Spend;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a provider made of a prompt.
 *
 * @param output text, or data: tool calls, JSON that was asked for, what a transform returned
 * @param used what the call took; empty if there was none
 */
record ModelOutput(@Nullable Object output, Optional<Used> used) {

  /**
   * Asks the model of a provider.
   *
   * @param answered is told the answer as soon as it is there
   */
  static ModelOutput ask(
      Target target,
      Generator model,
      GenerationSettings settings,
      List<Message> messages,
      SampleContext context,
      java.util.function.Consumer<Response.Reply> answered)
      throws InterruptedException {
    Used before = context.used();
    Response.Reply reply =
        model.generate(
            Request.of(messages)
                .with(settings)
                .withTools(target.tools().tools(), target.tools().choice()));
    Used after = context.used();
    answered.accept(reply);
    model.check();
    return new ModelOutput(output(reply.message(), target), Optional.of(difference(before, after)));
  }

  private static Used difference(Used before, Used after) {
    Spend spend =
        new Spend(
            after.spend().known().subtract(before.spend().known()),
            after.spend().pricedCalls() - before.spend().pricedCalls(),
            after.spend().unknownCalls() - before.spend().unknownCalls());
    return new Used(after.called().minus(before.called()), spend);
  }

  /** After the transforms of the provider and of the test. */
  ModelOutput transformed(Target target, TestCase test, String prompt) {
    Object changed = output;
    Map<String, @Nullable Object> context = new LinkedHashMap<>();
    context.put("vars", test.vars());
    context.put("prompt", Map.of("raw", prompt, "label", prompt));
    context.put("metadata", test.metadata());
    for (Optional<Transform> transform : List.of(target.transform(), test.options().transform())) {
      if (transform.isPresent()) {
        changed = transform.get().apply(changed, context);
      }
    }
    return new ModelOutput(changed, used);
  }

  /** Calls are told as OpenAI tells them, whoever made them. */
  private static @Nullable Object output(Message.Assistant message, Target target) {
    if (message.toolCalls().isEmpty()) {
      return target.parsesJson()
          ? Json.parse(message.text()).map(Json.Parsed::data).orElse(message.text())
          : message.text();
    }
    if (target.tools().areFunctions()) {
      return function(message.toolCalls().getFirst());
    }
    List<Map<String, Object>> calls = new ArrayList<>();
    for (ToolCall call : message.toolCalls()) {
      Map<String, Object> told = new LinkedHashMap<>();
      told.put("id", call.id());
      told.put("type", "function");
      told.put("function", function(call));
      calls.add(told);
    }
    if (message.text().isBlank()) {
      return calls;
    }
    Map<String, Object> whole = new LinkedHashMap<>();
    whole.put("role", "assistant");
    whole.put("content", message.text());
    whole.put("tool_calls", calls);
    return whole;
  }

  private static Map<String, Object> function(ToolCall call) {
    Map<String, Object> function = new LinkedHashMap<>();
    function.put("name", call.name());
    function.put("arguments", call.arguments());
    return function;
  }
}
