package dev.weir.simulator.server;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import tools.jackson.databind.JsonNode;

/**
 * Answers the requests of batches as those that come alone are answered, but under no limit. A
 * prompt that says {@code [[expired]]} is not answered in time. Thread-safe.
 */
final class BatchAnswers {

  private static final String EXPIRED = "[[expired]]";

  private final Answerer answerer;
  private final AtomicLong sequence = new AtomicLong();

  BatchAnswers(Simulation simulation) {
    this.answerer = new Answerer(simulation.script(), simulation.coin());
  }

  Batch.Line answer(Dialect dialect, String customId, JsonNode body, long created) {
    try {
      Call call = dialect.read(body);
      if (call.conversation().prompt().contains(EXPIRED)) {
        return new Batch.Line(customId, body.hashCode(), 0, "");
      }
      Said said = answerer.answer(call, _ -> Optional.empty());
      return switch (said.trouble().orElse(null)) {
        case Trouble.Complaint(int status, String message) ->
            failed(customId, body, status, message);
        case Trouble.Raw(int status, String text) ->
            status < 300
                ? new Batch.Line(customId, body.hashCode(), status, Json.text(Json.objectOf(text)))
                : failed(customId, body, status, text);
        // What happens to connections and streams cannot happen to a line of a file.
        case null, default -> answered(dialect, customId, body, call, said, created);
      };
    } catch (BadCallException bad) {
      return failed(customId, body, 400, String.valueOf(bad.getMessage()));
    }
  }

  private Batch.Line answered(
      Dialect dialect, String customId, JsonNode body, Call call, Said said, long created) {
    String id = "bat%08d".formatted(sequence.incrementAndGet());
    var reply = new Dialect.Reply(call, call.output(said), id, created, Duration.ZERO);
    return new Batch.Line(customId, body.hashCode(), 200, Json.text(dialect.answer(reply)));
  }

  private static Batch.Line failed(String customId, JsonNode body, int status, String message) {
    return new Batch.Line(
        customId,
        body.hashCode(),
        status,
        Json.text(Json.object("type", type(status), "message", message)));
  }

  /** In the words of Anthropic's API; OpenAI's has the status beside it. */
  private static String type(int status) {
    return switch (status) {
      case 401 -> "authentication_error";
      case 403 -> "permission_error";
      case 404 -> "not_found_error";
      case 429 -> "rate_limit_error";
      case 529 -> "overloaded_error";
      default -> status < 500 ? "invalid_request_error" : "api_error";
    };
  }
}
