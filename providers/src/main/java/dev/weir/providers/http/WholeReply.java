package dev.weir.providers.http;

import dev.weir.model.Chunk;
import dev.weir.model.ExchangeListener;
import dev.weir.model.Response;
import dev.weir.model.ToolCall;

/** An answer that came in one piece, told as pieces. */
record WholeReply(Response.Reply reply) {

  void tell(ExchangeListener listener) throws InterruptedException {
    if (!reply.message().reasoning().isEmpty()) {
      listener.chunk(new Chunk.Reasoning(reply.message().reasoning()));
    }
    if (!reply.message().text().isEmpty()) {
      listener.chunk(new Chunk.Text(reply.message().text()));
    }
    int index = 0;
    for (ToolCall call : reply.message().toolCalls()) {
      listener.chunk(new Chunk.ToolCallPart(index, call.id(), call.name(), call.arguments()));
      index++;
    }
  }
}
