package dev.weir.simulator.server;

import dev.weir.simulator.provider.HeaderStyle;
import dev.weir.web.Answer;
import dev.weir.web.EventSink;
import java.io.IOException;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** An API: how it asks, answers and complains. */
interface Dialect {

  /** How this API's provider tells about limits. */
  HeaderStyle style();

  /** The name of the header that carries the id of a request. */
  String idHeader();

  /**
   * @throws BadCallException if the request is not as the API demands
   */
  Call read(JsonNode body);

  Map<String, Object> answer(Reply reply);

  /** The events before the text of an answer. */
  void begin(Reply reply, EventSink sink) throws IOException, InterruptedException;

  /** A part of the text. */
  void part(Reply reply, String text, EventSink sink) throws IOException, InterruptedException;

  /** The events after the text. */
  void end(Reply reply, EventSink sink) throws IOException, InterruptedException;

  /**
   * @param status the status to tell; an overload has one in each API
   * @param type what a refusal names as exceeded; empty if nothing
   */
  Answer error(Fault fault, int status, String type, String message);

  /**
   * An answer that is ready to be told.
   *
   * @param id of the request, unique in this server
   * @param created seconds since 1970
   */
  record Reply(Call call, Call.Output output, String id, long created) {}
}
