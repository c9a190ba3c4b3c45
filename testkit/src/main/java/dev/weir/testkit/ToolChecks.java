package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.Chunk;
import dev.weir.model.Message;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.StopReason;
import dev.weir.model.Tool;
import dev.weir.model.ToolCall;
import dev.weir.model.ToolChoice;
import java.util.List;

/** What is promised about tools. */
final class ToolChecks {

  private static final Tool WEATHER =
      new Tool(
          "weather",
          "Tells the weather of a city.",
          """
          {"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}\
          """);

  private static final Tool CLOCK =
      new Tool("clock", "Tells the time.", "{\"type\":\"object\",\"properties\":{}}");

  private static final String ARGUMENTS = "{\"city\":\"Lima\"}";
  private static final Scene CALLS = new Scene.CallsTool("weather", ARGUMENTS);

  private ToolChecks() {}

  private static Request asked(ProviderContract suite, Scene scene, ToolChoice choice) {
    return suite.request(scene).withTools(List.of(CLOCK, WEATHER), choice);
  }

  private static Response.Reply play(ProviderContract suite, Scene scene, ToolChoice choice)
      throws Exception {
    return AnswerChecks.reply(suite.open(scene).exchange(asked(suite, scene, choice)));
  }

  static void call(ProviderContract suite) throws Exception {
    Response.Reply reply = play(suite, CALLS, new ToolChoice.Auto());
    assertThat(reply.stopReason()).isEqualTo(StopReason.TOOL_CALLS);
    requireWeather(reply);
  }

  private static void requireWeather(Response.Reply reply) {
    assertThat(reply.message().toolCalls())
        .singleElement()
        .satisfies(
            call -> {
              assertThat(call.id()).isNotBlank();
              assertThat(call.name()).isEqualTo("weather");
              // Blanks between the members are the provider's own.
              assertThat(call.arguments().replace(" ", "")).isEqualTo(ARGUMENTS);
            });
  }

  static void stream(ProviderContract suite) throws Exception {
    var heard = new Heard(true);
    Response.Reply reply =
        AnswerChecks.reply(
            suite.open(CALLS).exchange(asked(suite, CALLS, new ToolChoice.Auto()), heard));
    requireWeather(reply);
    var arguments = new StringBuilder();
    String name = "";
    for (Chunk chunk : heard.chunks()) {
      if (chunk instanceof Chunk.ToolCallPart part) {
        assertThat(part.index()).isZero();
        name = name.isEmpty() ? part.name() : name;
        arguments.append(part.arguments());
      }
    }
    assertThat(name).isEqualTo("weather");
    assertThat(arguments.toString().replace(" ", "")).isEqualTo(ARGUMENTS);
  }

  static void roundTrip(ProviderContract suite) throws Exception {
    Request asked = asked(suite, CALLS, new ToolChoice.Auto());
    Response.Reply wants = AnswerChecks.reply(suite.open(CALLS).exchange(asked));
    ToolCall call = wants.message().toolCalls().getFirst();
    var says = new Scene.Says("It is sunny in Lima.");
    var result = new Message.ToolResult(call.id(), call.name(), suite.prompt(says), false);
    List<Message> messages = List.of(asked.messages().getFirst(), wants.message(), result);
    Request next = Request.of(messages).withTools(asked.tools(), new ToolChoice.Auto());
    Response.Reply answer = AnswerChecks.reply(suite.open(says).exchange(next));
    assertThat(answer.message().text()).contains("It is sunny in Lima.");
    assertThat(answer.message().toolCalls()).isEmpty();
  }

  static void none(ProviderContract suite) throws Exception {
    assertThat(play(suite, CALLS, new ToolChoice.None()).message().toolCalls()).isEmpty();
  }

  static void required(ProviderContract suite) throws Exception {
    var talks = new Scene.Says("I would rather talk.");
    Response.Reply reply = play(suite, talks, new ToolChoice.Required());
    assertThat(reply.message().toolCalls()).isNotEmpty();
    assertThat(reply.stopReason()).isEqualTo(StopReason.TOOL_CALLS);
  }

  static void named(ProviderContract suite) throws Exception {
    var talks = new Scene.Says("I would rather talk.");
    Response.Reply reply = play(suite, talks, new ToolChoice.Named("weather"));
    assertThat(reply.message().toolCalls()).extracting(ToolCall::name).containsOnly("weather");
    // The second of the tools, and then the first: neither is called by accident.
    assertThat(play(suite, talks, new ToolChoice.Named("clock")).message().toolCalls())
        .extracting(ToolCall::name)
        .containsOnly("clock");
  }
}
