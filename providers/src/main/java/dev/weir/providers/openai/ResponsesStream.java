package dev.weir.providers.openai;

import dev.weir.model.Chunk;
import dev.weir.model.ExchangeListener;
import dev.weir.model.Response;
import dev.weir.providers.http.ErrorReply;
import dev.weir.providers.http.Json;
import dev.weir.providers.http.ServerEvent;
import dev.weir.providers.http.UnreadableException;
import dev.weir.providers.http.Wire;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Tells the pieces of an answer of the Responses API. The last event holds the whole answer, so
 * nothing has to be put together. Not thread-safe.
 */
final class ResponsesStream implements Wire.StreamDecoder {

  private final ResponsesWire wire;
  private final List<Json> items = new ArrayList<>();
  private final Map<Long, Integer> callByOutput = new LinkedHashMap<>();
  private @Nullable Json whole;
  private @Nullable Json error;

  ResponsesStream(ResponsesWire wire) {
    this.wire = wire;
  }

  @Override
  public boolean event(ServerEvent event, ExchangeListener listener)
      throws UnreadableException, InterruptedException {
    if (event.data().strip().equals("[DONE]")) {
      return true;
    }
    Json json = Json.parse(event.data());
    String delta = json.text("delta").orElse("");
    switch (json.text("type").orElse(event.type())) {
      case "response.output_text.delta", "response.refusal.delta" ->
          Wire.tell(listener, new Chunk.Text(delta));
      case "response.reasoning_summary_text.delta", "response.reasoning_text.delta" ->
          Wire.tell(listener, new Chunk.Reasoning(delta));
      case "response.output_item.added" -> begin(json, listener);
      case "response.function_call_arguments.delta" ->
          Wire.tell(listener, new Chunk.ToolCallPart(call(json), "", "", delta));
      case "response.output_item.done" -> items.add(json.at("item"));
      case "response.completed", "response.incomplete", "response.failed" ->
          whole = json.at("response");
      case "error" -> error = json;
      default -> {
        if (ApiError.isIn(json)) {
          error = json;
        }
      }
    }
    return whole != null || error != null;
  }

  @Override
  public Response end(ErrorReply reply) throws UnreadableException {
    if (error != null) {
      return wire.refused(error, reply);
    }
    if (whole == null) {
      return new Response.Transient("the answer broke off before its end", reply.origin());
    }
    // Some servers do not repeat at the end what they said on the way.
    ResponsesOutput output = ResponsesOutput.of(whole);
    return wire.answer(
        output.items().isEmpty() ? new ResponsesOutput(whole, items) : output, reply);
  }

  private void begin(Json event, ExchangeListener listener) throws InterruptedException {
    Json item = event.at("item");
    if (item.text("type").orElse("").equals("function_call")) {
      String id = item.text("call_id").orElse("");
      String name = item.text("name").orElse("");
      Wire.tell(listener, new Chunk.ToolCallPart(call(event), id, name, ""));
    }
  }

  /** Which call of the message: the API counts messages and thoughts as well. */
  private int call(Json event) {
    return callByOutput.computeIfAbsent(
        event.whole("output_index").orElse(0), _ -> callByOutput.size());
  }
}
