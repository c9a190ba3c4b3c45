package dev.weir.eval;

import dev.weir.model.ConfigurationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a directory remembers of the set of evaluations in it.
 *
 * @param id of the set
 * @param seed of all its runs, so that the same samples are chosen each time
 * @param runs the identities of its runs, also of earlier commands
 */
record SetFile(String id, long seed, Set<String> runs) {

  static final String NAME = ".weir-set.json";

  private static final String FORMAT = "weir-set";
  private static final int VERSION = 1;
  private static final JsonMapper JSON = new JsonMapper();

  SetFile {
    runs = Set.copyOf(runs);
  }

  static Optional<SetFile> read(Path directory) {
    Path file = directory.resolve(NAME);
    try {
      JsonNode json = JSON.readTree(Files.readString(file));
      if (!json.path("format").asString("").equals(FORMAT)
          || json.path("version").asInt(0) != VERSION) {
        throw new ConfigurationException(
            "%s was not written by this version of Weir; choose another --log-dir".formatted(file));
      }
      List<String> runs = new ArrayList<>();
      json.path("runs").forEach(run -> runs.add(run.asString("")));
      return Optional.of(
          new SetFile(json.path("id").asString(""), json.path("seed").asLong(0), Set.copyOf(runs)));
    } catch (NoSuchFileException first) {
      return Optional.empty();
    } catch (IOException | JacksonException unreadable) {
      throw new ConfigurationException(
          "%s cannot be read (%s); remove it to begin a new set with the logs beside it"
              .formatted(file, unreadable),
          unreadable);
    }
  }

  SetFile with(Set<String> more) {
    Set<String> all = new LinkedHashSet<>(runs);
    all.addAll(more);
    return new SetFile(id, seed, all);
  }

  /** Whole or not at all. */
  void write(Path directory) {
    ObjectNode json = JSON.createObjectNode();
    json.put("format", FORMAT).put("version", VERSION).put("id", id).put("seed", seed);
    var list = json.putArray("runs");
    runs.stream().sorted().forEach(list::add);
    Path file = directory.resolve(NAME);
    Path fresh = directory.resolve(NAME + ".new");
    try {
      Files.writeString(fresh, JSON.writerWithDefaultPrettyPrinter().writeValueAsString(json));
      Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException unwritable) {
      throw new ConfigurationException(
          "%s cannot be written (%s); choose another --log-dir".formatted(file, unwritable),
          unwritable);
    }
  }
}
