package dev.weir.eval.tool;

import dev.weir.eval.sandbox.Dialogue;
import dev.weir.eval.sandbox.SandboxException;
import dev.weir.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * JSON-RPC 2.0 with a program, a message in a line.
 *
 * <p>Whoever waits for an answer takes what the program says and hands out what is for others, so
 * there is no task that only reads. Thread-safe.
 */
final class JsonRpc implements AutoCloseable {

  private static final int METHOD_NOT_FOUND = -32_601;
  private static final Duration SHORTEST_LOOK = Duration.ofMillis(1);
  private static final Duration LONGEST_LOOK = Duration.ofMillis(25);

  private final Dialogue dialogue;
  private final Time time;
  private final AtomicLong ids = new AtomicLong();

  // Guarded by this.
  private final Set<Long> awaited = new HashSet<>();
  private final Map<Long, ObjectNode> answers = new HashMap<>();
  private @Nullable String noise;

  JsonRpc(Dialogue dialogue, Time time) {
    this.dialogue = dialogue;
    this.time = time;
  }

  /** The other side refused a request. */
  static final class RefusedException extends Exception {
    private static final long serialVersionUID = 1L;

    RefusedException(String message) {
      super(message);
    }
  }

  /** There was no answer in time. */
  static final class LateException extends Exception {
    private static final long serialVersionUID = 1L;

    LateException(String method) {
      super("there was no answer to " + method);
    }
  }

  /** The program has ended, or broken the rules. */
  static final class BrokenException extends Exception {
    private static final long serialVersionUID = 1L;

    BrokenException(String message) {
      super(message);
    }
  }

  /**
   * Asks, and waits for the answer. One that is given up is cancelled.
   *
   * @return the result; a missing node if there is none
   */
  JsonNode ask(String method, ObjectNode params, Duration timeout)
      throws RefusedException, LateException, BrokenException, InterruptedException {
    long id = ids.incrementAndGet();
    long deadline = time.after(timeout);
    synchronized (this) {
      awaited.add(id);
    }
    try {
      say(message(method, params).put("id", id), deadline);
      return result(await(id, method, deadline));
    } catch (LateException | InterruptedException givenUp) {
      cancel(id, method);
      throw givenUp;
    } finally {
      synchronized (this) {
        awaited.remove(id);
        answers.remove(id);
      }
    }
  }

  private void cancel(long id, String method) {
    // The one request that must not be cancelled.
    if (!method.equals("initialize")) {
      ObjectNode params = CallJson.MAPPER.createObjectNode().put("requestId", id);
      params.put("reason", "given up");
      dialogue.sayLater(message("notifications/cancelled", params).toString());
    }
  }

  private static JsonNode result(ObjectNode answer) throws RefusedException {
    JsonNode error = answer.path("error");
    if (error.isObject()) {
      throw new RefusedException(
          "%s (%s)"
              .formatted(
                  error.path("message").asString("no reason given"),
                  error.path("code").asString("no code")));
    }
    return answer.path("result");
  }

  /** Tells something that has no answer. */
  void tell(String method, Duration timeout) throws BrokenException, InterruptedException {
    say(message(method, CallJson.MAPPER.createObjectNode()), time.after(timeout));
  }

  /** The last line it said that was no message, if there was one: some print what went wrong. */
  synchronized Optional<String> noise() {
    return Optional.ofNullable(noise);
  }

  @Override
  public void close() {
    dialogue.close();
  }

  private static ObjectNode message(String method, ObjectNode params) {
    ObjectNode message =
        CallJson.MAPPER.createObjectNode().put("jsonrpc", "2.0").put("method", method);
    message.set("params", params);
    return message;
  }

  private void say(ObjectNode message, long deadline) throws BrokenException, InterruptedException {
    try {
      dialogue.say(message.toString(), deadline);
    } catch (SandboxException refused) {
      throw broken(refused);
    }
  }

  /** Nothing that was begun can be finished. */
  private BrokenException broken(SandboxException why) {
    dialogue.close();
    return new BrokenException(String.valueOf(why.getMessage()));
  }

  private ObjectNode await(long id, String method, long deadline)
      throws LateException, BrokenException, InterruptedException {
    Duration look = SHORTEST_LOOK;
    while (true) {
      long before = dialogue.heard();
      listen();
      synchronized (this) {
        ObjectNode answer = answers.get(id);
        if (answer != null) {
          return answer;
        }
      }
      if (dialogue.isOver()) {
        throw new BrokenException("it ended before it answered " + method);
      }
      if (time.nanos() >= deadline) {
        throw new LateException(method);
      }
      look = dialogue.heard() > before ? SHORTEST_LOOK : look.multipliedBy(2);
      look = look.compareTo(LONGEST_LOOK) > 0 ? LONGEST_LOOK : look;
      time.sleep(look);
    }
  }

  /** Takes all that was said, for whomever it is. */
  private void listen() throws BrokenException {
    List<ObjectNode> replies = new ArrayList<>();
    try {
      synchronized (this) {
        for (Optional<String> line = dialogue.next(); line.isPresent(); line = dialogue.next()) {
          take(line.get(), replies);
        }
      }
    } catch (SandboxException tooLong) {
      throw broken(tooLong);
    }
    replies.forEach(reply -> dialogue.sayLater(reply.toString()));
  }

  private void take(String line, List<ObjectNode> replies) {
    switch (CallJson.tree(line).orElse(null)) {
      case ObjectNode message -> takeMessage(message, replies);
      // A batch, as one version of the protocol has it.
      case ArrayNode batch -> {
        for (JsonNode part : batch) {
          if (part instanceof ObjectNode message) {
            takeMessage(message, replies);
          }
        }
      }
      case null, default -> noise = line.isBlank() ? noise : line;
    }
  }

  private void takeMessage(ObjectNode message, List<ObjectNode> replies) {
    JsonNode id = message.path("id");
    if (!message.has("method")) {
      if (id.isIntegralNumber() && awaited.contains(id.longValue())) {
        answers.put(id.longValue(), message);
      }
    } else if (message.has("id")) {
      replies.add(reply(message, id));
    }
    // What is left is told to whom it may concern, such as progress: nobody asked for it.
  }

  /** It may ask whether we are there; for all else we have said that we cannot do it. */
  private static ObjectNode reply(ObjectNode request, JsonNode id) {
    ObjectNode reply = CallJson.MAPPER.createObjectNode().put("jsonrpc", "2.0");
    reply.set("id", id);
    String method = request.path("method").asString("");
    if (method.equals("ping")) {
      reply.putObject("result");
    } else {
      reply
          .putObject("error")
          .put("code", METHOD_NOT_FOUND)
          .put("message", "this client does not know " + method);
    }
    return reply;
  }
}
