package dev.weir.otel;

import static dev.weir.otel.OtlpReceiver.attributes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.Content;
import dev.weir.model.Message;
import dev.weir.model.Model;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.StopReason;
import dev.weir.model.ToolCall;
import dev.weir.model.Usage;
import dev.weir.time.Time;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.opentelemetry.proto.trace.v1.Span;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When what is asked and answered leaves, and in which form. */
@Timeout(60)
class ContentCaptureTest {

  private static final String CAPTURE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT";
  private static final String VERSION = "OTEL_SEMCONV_STABILITY_OPT_IN";
  private static final String LATEST = "gen_ai_latest_experimental";

  private static final Request REQUEST =
      Request.of(
              List.of(
                  Message.instructions("be \"brief\""),
                  new Message.User(
                      List.of(
                          new Content.Text("what is it?"),
                          Content.Image.data("image/png", "c2VjcmV0"))),
                  new Message.Assistant(
                      "", "", List.of(new ToolCall("c1", "look", "{\"at\":1}")), Optional.empty()),
                  new Message.ToolResult("c1", "look", "a cat", false)))
          .withTarget("the target");

  private static Response.Reply reply(String text) {
    return new Response.Reply(
        new Message.Assistant(
            text, "hmm", List.of(new ToolCall("c2", "feed", "{}")), Optional.empty()),
        StopReason.TOOL_CALLS,
        new Usage(1, 1),
        ExportedCalls.origin(200));
  }

  private static void call(ExportedCalls calls, Request request, String answer) throws Exception {
    Model model = calls.model("openai/gpt-4o", "", 1, _ -> reply(answer));
    calls.run(() -> calls.start(model, request).join(Time.NEVER));
  }

  private static Span span(OtlpReceiver receiver) {
    return receiver.spans().stream()
        .filter(span -> span.getName().startsWith("chat"))
        .findFirst()
        .orElseThrow();
  }

  private static Map<String, String> attributesOfCall(OtlpReceiver receiver) {
    return attributes(span(receiver).getAttributesList());
  }

  @Test
  void nothingOfItLeavesUnlessAskedFor() throws Exception {
    for (String version : List.of("", LATEST)) {
      for (String capture : List.of("", "false", "no_content")) {
        try (var receiver = OtlpReceiver.start()) {
          call(
              ExportedCalls.to(receiver, VERSION, version, CAPTURE, capture),
              REQUEST,
              "a cat, of course");
          assertThat(receiver.spans()).isNotEmpty();
          assertThat(receiver.received())
              .allSatisfy(
                  one ->
                      assertThat(one.body().toString(StandardCharsets.ISO_8859_1))
                          .doesNotContain("brief", "what is it", "c2Vj", "cat", "hmm", "target"));
          assertThat(receiver.logs()).isEmpty();
        }
      }
    }
  }

  @Test
  void theLatestVersionHasItInTheSpan() throws Exception {
    try (var receiver = OtlpReceiver.start()) {
      call(ExportedCalls.to(receiver, VERSION, LATEST, CAPTURE, "true"), REQUEST, "a cat");
      Map<String, String> attributes = attributesOfCall(receiver);
      assertThat(attributes.get("gen_ai.input.messages"))
          .startsWith(
              "[{\"role\":\"system\",\"parts\":[{\"type\":\"text\",\"content\":\"be"
                  + " \\\"brief\\\"\"}]},{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"content\":\"what"
                  + " is it?\"},{")
          .contains("\"type\":\"blob\"", "\"modality\":\"image\"", "\"content\":\"\"")
          .endsWith(
              "{\"role\":\"assistant\",\"parts\":[{\"type\":\"tool_call\",\"id\":\"c1\",\"name\":\"look\","
                  + "\"arguments\":\"{\\\"at\\\":1}\"}]},"
                  + "{\"role\":\"tool\",\"parts\":[{\"type\":\"tool_call_response\",\"id\":\"c1\",\"response\":\"a"
                  + " cat\"}]}]")
          .doesNotContain("c2Vj");
      assertThat(attributes.get("gen_ai.output.messages"))
          .isEqualTo(
              "[{\"role\":\"assistant\",\"parts\":[{\"type\":\"reasoning\",\"content\":\"hmm\"},{\"type\":\"text\",\"content\":\"a"
                  + " cat\"},{\"type\":\"tool_call\",\"id\":\"c2\","
                  + "\"name\":\"feed\",\"arguments\":\"{}\"}],\"finish_reason\":\"tool_call\"}]");
      assertThat(receiver.logs()).isEmpty();
    }
  }

  @Test
  void theBaselineHasItInEventsOfTheSpan() throws Exception {
    try (var receiver = OtlpReceiver.start()) {
      call(ExportedCalls.to(receiver, CAPTURE, "true"), REQUEST, "a cat");
      List<LogRecord> events = receiver.logs();
      assertThat(events)
          .extracting(LogRecord::getEventName)
          .containsExactly(
              "gen_ai.system.message",
              "gen_ai.user.message",
              "gen_ai.assistant.message",
              "gen_ai.tool.message",
              "gen_ai.choice");
      Span span = span(receiver);
      assertThat(events)
          .allSatisfy(
              event -> {
                assertThat(event.getSpanId()).isEqualTo(span.getSpanId());
                assertThat(attributes(event.getAttributesList()))
                    .containsEntry("gen_ai.system", "openai");
              });
      assertThat(events)
          .extracting(event -> OtlpReceiver.text(event.getBody()))
          .containsExactly(
              "{content=be \"brief\", role=system}",
              "{content=what is it?, role=user}",
              "{content=, role=assistant, tool_calls=[{function={arguments={\"at\":1}, name=look},"
                  + " id=c1, type=function}]}",
              "{content=a cat, id=c1, role=tool}",
              "{finish_reason=tool_calls, index=0, message={content=a cat, role=assistant,"
                  + " tool_calls=[{function={arguments={}, name=feed}, id=c2, type=function}]}}");
      assertThat(attributesOfCall(receiver))
          .doesNotContainKeys("gen_ai.input.messages", "gen_ai.output.messages");
    }
  }

  /** Thousands of calls may wait for a receiver that is slow. */
  @Test
  void longContentIsCutAndStaysWhatItIs() throws Exception {
    try (var receiver = OtlpReceiver.start()) {
      String odd = "x" + "\uD83D\uDE00".repeat(MessageContent.MOST_CHARACTERS);
      call(ExportedCalls.to(receiver, VERSION, LATEST, CAPTURE, "true"), Request.of(odd), "ok");
      assertThat(attributesOfCall(receiver).get("gen_ai.input.messages"))
          .endsWith("\uD83D\uDE00\"}]}]")
          .hasSizeBetween(MessageContent.MOST_CHARACTERS - 1, MessageContent.MOST_CHARACTERS + 100);
    }
  }

  @Test
  void withoutAReceiverForEventsThereIsAWarning() throws Exception {
    try (var receiver = OtlpReceiver.start()) {
      var calls =
          new ExportedCalls(
              Map.of(
                  "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
                  receiver.address() + "/v1/traces",
                  CAPTURE,
                  "true"));
      call(calls, REQUEST, "a cat");
      assertThat(receiver.spans()).hasSize(2);
      assertThat(calls.warnings)
          .singleElement()
          .asString()
          .startsWith(CAPTURE + ": content is sent as log records");
    }
  }
}
