package dev.weir.simulator.server;

import dev.weir.simulator.provider.HeaderStyle;
import dev.weir.web.Answer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** An API: how it asks, answers and complains. */
interface Dialect {

  /** How this API's provider tells about limits. */
  HeaderStyle style();

  /** The name of the header that carries the id of a request; empty if there is none. */
  String idHeader();

  /**
   * @throws BadCallException if the request is not as the API demands
   */
  Call read(JsonNode body);

  Map<String, Object> answer(Reply reply);

  /** The same answer as a stream, if a call can ask for one. */
  default Events events(Reply reply) {
    throw new IllegalStateException("cannot stream: no call of this API asks for it");
  }

  /**
   * What tells of an error in the middle of a stream, and ends it, if a call can ask for one.
   *
   * @param position how many events were sent before
   */
  default List<Event> streamError(Reply reply, String type, int position) {
    throw new IllegalStateException("cannot stream: no call of this API asks for it");
  }

  /**
   * @param status the status to tell; an overload has one in each API
   * @param type what a refusal names as exceeded; empty if nothing
   */
  Answer error(Fault fault, int status, String type, String message);

  /**
   * @param name empty if the API does not name its events
   */
  record Event(String name, String data) {}

  /**
   * @param pieces those that come little by little
   * @param closing those that follow at once when the answer is complete
   */
  record Events(List<Event> pieces, List<Event> closing) {}

  /**
   * An answer that is ready to be told.
   *
   * @param id of the request, unique in this server
   * @param created seconds since 1970
   * @param latency how long the answer takes
   */
  record Reply(Call call, Call.Output output, String id, long created, Duration latency) {

    /** All tokens of the prompt, those in the cache included. */
    int promptTokens() {
      return call.promptTokens() + output.cached().all();
    }

    /** The id of a part of the answer: unique, and the same whenever it is told. */
    String part(String prefix, int index) {
      return prefix + id + "_" + index;
    }
  }
}
