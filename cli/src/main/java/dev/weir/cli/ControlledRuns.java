package dev.weir.cli;

import dev.weir.cli.control.ControlClient;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Printable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The evaluations of this user that run, as they tell of themselves. */
record ControlledRuns(ControlClient client, Map<String, String> environment) {

  private static final JsonMapper JSON = new JsonMapper();
  private static final JsonMapper PRETTY =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  /** Of the protocol, see docs/ctl.md. */
  private static final int VERSION = 1;

  private record Found(Path socket, JsonNode summary) {

    String id() {
      return summary.path("id").asString();
    }

    boolean isCalled(String word) {
      return id().startsWith(word) || summary.path("pid").asString().equals(word);
    }
  }

  static String document(Object document) {
    return PRETTY.writeValueAsString(document);
  }

  /** Of those that answer, in the order of their processes. */
  List<JsonNode> summaries() throws IOException {
    return found().stream().map(Found::summary).toList();
  }

  /**
   * Asks one of them.
   *
   * @param run its id, the beginning of that, or its process; not needed if only one runs
   * @throws ConfigurationException if there is no such run, or it refuses
   */
  JsonNode ask(Optional<String> run, String command, Map<String, Object> fields)
      throws IOException {
    return ask(find(run).socket(), command, fields);
  }

  private Found find(Optional<String> run) throws IOException {
    List<Found> running = found();
    if (running.isEmpty()) {
      throw new ConfigurationException("no evaluation of yours runs on this machine");
    }
    List<Found> meant =
        running.stream().filter(one -> run.isEmpty() || one.isCalled(run.get())).toList();
    if (meant.size() == 1) {
      return meant.getFirst();
    }
    // One whose id is the beginning of another's can be called, too.
    return meant.stream()
        .filter(one -> run.isPresent() && one.id().equals(run.get()))
        .findFirst()
        .orElseThrow(
            () ->
                new ConfigurationException(
                    "%s; there are %s"
                        .formatted(
                            meant.isEmpty()
                                ? "no evaluation '%s' runs".formatted(run.orElse(""))
                                : "several evaluations run, say which",
                            String.join(", ", running.stream().map(Found::id).toList()))));
  }

  private List<Found> found() throws IOException {
    List<Found> found = new ArrayList<>();
    for (Path socket : client.sockets(environment)) {
      try {
        found.add(new Found(socket, ask(socket, "list", Map.of())));
      } catch (IOException gone) {
        // It has ended just now, or is too busy to answer.
      }
    }
    return found;
  }

  private JsonNode ask(Path socket, String command, Map<String, Object> fields) throws IOException {
    Map<String, Object> request = new LinkedHashMap<>();
    request.put("weir_ctl", VERSION);
    request.put("command", command);
    request.putAll(fields);
    JsonNode reply = read(client.ask(socket, JSON.writeValueAsString(request)));
    if (reply.path("error").isString()) {
      throw new ConfigurationException(Printable.line(reply.path("error").asString()));
    }
    return reply.path("result");
  }

  private static JsonNode read(String reply) throws IOException {
    try {
      return JSON.readTree(reply);
    } catch (JacksonException malformed) {
      throw new IOException("the run did not answer in JSON", malformed);
    }
  }
}
