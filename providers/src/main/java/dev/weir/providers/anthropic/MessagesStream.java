package dev.weir.providers.anthropic;

import dev.weir.model.Chunk;
import dev.weir.model.ExchangeListener;
import dev.weir.model.Response;
import dev.weir.model.Usage;
import dev.weir.providers.http.ErrorReply;
import dev.weir.providers.http.Json;
import dev.weir.providers.http.ServerEvent;
import dev.weir.providers.http.UnreadableException;
import dev.weir.providers.http.Wire;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Puts a streamed answer together.
 *
 * <pre>
 *   message_start, (content_block_start, content_block_delta*, content_block_stop)*,
 *   message_delta, message_stop; anywhere: ping, error
 * </pre>
 */
final class MessagesStream implements Wire.StreamDecoder {

  private final TreeMap<Long, Block> blocks = new TreeMap<>();

  /** Counts are running totals, and a later one replaces an earlier. */
  private final Map<String, Object> usage = new LinkedHashMap<>();

  private Optional<String> stopReason = Optional.empty();
  private Json error = Json.ABSENT;
  private int toolCalls;

  @Override
  public boolean event(ServerEvent event, ExchangeListener listener)
      throws UnreadableException, InterruptedException {
    Json data = Json.parse(event.data());
    switch (data.text("type").orElse("")) {
      case "message_start" -> count(data.at("message", "usage"));
      case "content_block_start" -> begin(data, listener);
      case "content_block_delta" -> add(data, listener);
      case "message_delta" -> {
        stopReason = data.text("delta", "stop_reason").or(() -> stopReason);
        count(data.at("usage"));
      }
      case "message_stop" -> {
        return true;
      }
      case "error" -> {
        error = data;
        return true;
      }
      // A ping, the end of a block, or something newer than this.
      default -> {}
    }
    return false;
  }

  @Override
  public Response end(ErrorReply reply) throws UnreadableException {
    if (error.isPresent()) {
      return Refusals.inside(error, reply);
    }
    if (stopReason.isEmpty()) {
      throw new UnreadableException("the stream broke off before the message ended");
    }
    var content = new Blocks();
    blocks.values().forEach(block -> block.addTo(content));
    return content.reply(stopReason, usage(), reply);
  }

  private Usage usage() {
    return Blocks.usage(Json.parseOrAbsent(Json.text(usage)));
  }

  private void count(Json counts) {
    for (String name : counts.names()) {
      counts.whole(name).ifPresent(value -> usage.put(name, value));
    }
  }

  private void begin(Json data, ExchangeListener listener) throws InterruptedException {
    Json start = data.at("content_block");
    var block = new Block(start, start.text("type").orElse("").equals("tool_use") ? toolCalls : -1);
    blocks.put(data.count("index"), block);
    if (block.call >= 0) {
      toolCalls++;
      tellCall(block, start.text("name").orElse(""), "", listener);
    }
    start.text("text").ifPresent(block.text::append);
    start.text("thinking").ifPresent(block.text::append);
    start.text("signature").ifPresent(block.signature::append);
  }

  private void add(Json data, ExchangeListener listener)
      throws UnreadableException, InterruptedException {
    Block block = blocks.get(data.count("index"));
    if (block == null) {
      throw new UnreadableException("a piece of a block that did not begin");
    }
    Json delta = data.at("delta");
    switch (delta.text("type").orElse("")) {
      case "text_delta" -> {
        String text = delta.text("text").orElse("");
        block.text.append(text);
        Wire.tell(listener, new Chunk.Text(text));
      }
      case "thinking_delta" -> {
        String thought = delta.text("thinking").orElse("");
        block.text.append(thought);
        Wire.tell(listener, new Chunk.Reasoning(thought));
      }
      case "signature_delta" -> block.signature.append(delta.text("signature").orElse(""));
      case "input_json_delta" -> {
        String piece = delta.text("partial_json").orElse("");
        block.input.append(piece);
        if (block.call >= 0 && !piece.isEmpty()) {
          tellCall(block, "", piece, listener);
        }
      }
      // Among them citations, which say where a text comes from and are not part of it.
      default -> {}
    }
  }

  private static void tellCall(
      Block block, String name, String arguments, ExchangeListener listener)
      throws InterruptedException {
    String id = block.start.text("id").orElse("");
    Wire.tell(listener, new Chunk.ToolCallPart(block.call, id, name, arguments));
  }

  /** One block on its way. */
  private static final class Block {

    private final Json start;

    /** Which tool call it is, from 0; negative if it is none. */
    private final int call;

    private final StringBuilder text = new StringBuilder();
    private final StringBuilder signature = new StringBuilder();
    private final StringBuilder input = new StringBuilder();

    Block(Json start, int call) {
      this.start = start;
      this.call = call;
    }

    void addTo(Blocks content) {
      switch (start.text("type").orElse("")) {
        case "text" -> content.text(text.toString());
        case "thinking" -> content.thinking(text.toString(), thought());
        case "tool_use" ->
            content.toolUse(
                start.text("id").orElse(""), start.text("name").orElse(""), arguments());
        default -> content.other(whole());
      }
    }

    private String arguments() {
      return input.isEmpty() ? start.at("input").toString() : input.toString();
    }

    private Map<String, Object> thought() {
      Map<String, Object> block = new LinkedHashMap<>();
      block.put("type", "thinking");
      block.put("thinking", text.toString());
      block.put("signature", signature.toString());
      return block;
    }

    /** A block of another kind, as it began, with the input that came in pieces. */
    private Map<String, Object> whole() {
      Map<String, Object> block = new LinkedHashMap<>();
      start.names().forEach(name -> block.put(name, start.at(name).embedded()));
      if (!input.isEmpty()) {
        block.put("input", Blocks.input(input.toString()));
      }
      return block;
    }
  }
}
