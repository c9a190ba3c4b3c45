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

  private static final String NONE_RUNS = "no evaluation of yours runs on this machine";

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
    List<Found> found = asked(client.sockets(environment));
    return new Running(
        found.stream().flatMap(one -> one.summary().stream()).toList(),
        found.stream().filter(one -> one.summary().isEmpty()).map(Found::silence).toList());
  }

  /**
   * Asks one of them.
   *
   * @param run its id, the beginning of that, or its process; not needed if only one runs
   * @throws ConfigurationException if there is no such run, or it refuses
   * @throws SilentRunException if it does not answer
   */
  JsonNode ask(Optional<String> run, String command, Map<String, Object> fields)
      throws IOException {
    // Others may be stopped: they are not asked.
    List<Found> answers = asked(List.of(find(run).socket()));
    if (answers.isEmpty()) {
      throw new ConfigurationException(NONE_RUNS);
    }
    Found found = answers.getFirst();
    if (found.summary().isEmpty()) {
      throw new SilentRunException(found.silence());
    }
    return ask(found.socket(), command, fields);
  }

  private Found find(Optional<String> run) throws IOException {
    List<Found> running =
        client.sockets(environment).stream()
            .map(socket -> new Found(socket, Optional.empty()))
            .toList();
    if (running.isEmpty()) {
      throw new ConfigurationException(NONE_RUNS);
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

  private List<Found> asked(List<Path> sockets) throws IOException {
    List<Optional<String>> replies = client.askAll(sockets, request("list", Map.of()));
    List<Found> found = new ArrayList<>();
    for (int i = 0; i < sockets.size(); i++) {
      Path socket = sockets.get(i);
      Optional<String> reply = replies.get(i);
      if (reply.isPresent()) {
        found.add(new Found(socket, Optional.of(result(reply.get()))));
      } else if (client.sockets(environment).contains(socket)) {
        // Unless it has ended just now, it is stopped or too busy.
        found.add(new Found(socket, Optional.empty()));
      }
    }
    return found;
  }

  private JsonNode ask(Path socket, String command, Map<String, Object> fields) throws IOException {
    return result(client.ask(socket, request(command, fields)));
  }

  private static String request(String command, Map<String, Object> fields) {
    Map<String, Object> request = new LinkedHashMap<>();
    request.put("weir_ctl", VERSION);
    request.put("command", command);
    request.putAll(fields);
    return JSON.writeValueAsString(request);
  }

  private static JsonNode result(String answer) throws IOException {
    JsonNode reply = read(answer);
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
