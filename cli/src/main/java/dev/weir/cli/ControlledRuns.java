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

  /**
   * A run that listens.
   *
   * @param summary what it tells of itself; absent if it does not answer
   */
  private record Found(Path socket, Optional<JsonNode> summary) {

    /** Its socket is named after its process and its id. */
    private String[] name() {
      return String.valueOf(socket.getFileName()).replace(".sock", "").split("-", 2);
    }

    String id() {
      return name()[1];
    }

    boolean isCalled(String word) {
      return id().startsWith(word) || name()[0].equals(word);
    }

    String silence() {
      return "the evaluation %s (process %s) does not answer: it is stopped, or too busy; try again"
          .formatted(id(), name()[0]);
    }
  }

  /**
   * What runs.
   *
   * @param summaries of those that answer, in the order of their processes
   * @param silent about those that do not, in sentences
   */
  record Running(List<JsonNode> summaries, List<String> silent) {}

  static String document(Object document) {
    return PRETTY.writeValueAsString(document);
  }

  Running running() throws IOException {
    List<Found> found = found();
    return new Running(
        found.stream().flatMap(one -> one.summary().stream()).toList(),
        found.stream().filter(one -> one.summary().isEmpty()).map(Found::silence).toList());
  }

  /**
   * Asks one of them.
   *
   * @param run its id, the beginning of that, or its process; not needed if only one runs
   * @throws ConfigurationException if there is no such run, or it refuses
   * @throws IOException if it does not answer
   */
  JsonNode ask(Optional<String> run, String command, Map<String, Object> fields)
      throws IOException {
    Found found = find(run);
    if (found.summary().isEmpty()) {
      throw new IOException(found.silence());
    }
    return ask(found.socket(), command, fields);
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
        found.add(new Found(socket, Optional.of(ask(socket, "list", Map.of()))));
      } catch (IOException unanswered) {
        // Unless it has ended just now, it is stopped or too busy.
        if (client.sockets(environment).contains(socket)) {
          found.add(new Found(socket, Optional.empty()));
        }
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
