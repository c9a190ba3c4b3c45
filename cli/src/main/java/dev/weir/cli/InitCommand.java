package dev.weir.cli;

import dev.weir.model.ConfigurationException;
import dev.weir.model.Printable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** {@code weir init}: writes a task to start from. */
@Command(
    name = "init",
    description = {
      "Write a commented task, its data and an example for CI.",
      "",
      "The task runs at once with a simulated model, without a key. Existing files are never"
          + " overwritten: if one of them exists, nothing is written."
    },
    footerHeading = "%nExamples:%n",
    footer = {"  weir init", "  weir init capitals && weir eval capitals/task.yaml"})
final class InitCommand implements Callable<Integer> {

  private static final String TASK = "task.yaml";

  /** Each with what it is, for people. */
  private static final Map<String, String> FILES = files();

  @Parameters(
      arity = "0..1",
      paramLabel = "DIR",
      description =
          "Directory to write to; created if it does not exist. Default: the current directory.")
  private @Nullable Path directory;

  @Option(
      names = "--json",
      description = "Print one JSON document: the files, and the command that runs the task.")
  private @Nullable Boolean json;

  private final Surroundings surroundings;

  InitCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  private static Map<String, String> files() {
    Map<String, String> files = new LinkedHashMap<>();
    files.put(TASK, "the task: questions, model and scorer, with comments");
    files.put("data.csv", "its samples");
    files.put("ci-example.yml", "a workflow for GitHub Actions, to copy to .github/workflows");
    return files;
  }

  @Override
  public Integer call() throws IOException {
    boolean asJson = new Environment(surroundings.environment()).flag(json, "WEIR_JSON");
    Path target = directory == null ? Path.of("") : directory;
    requireFree(target);
    if (directory != null) {
      Files.createDirectories(target);
    }
    for (String name : FILES.keySet()) {
      Files.write(target.resolve(name), content(name), StandardOpenOption.CREATE_NEW);
    }
    List<String> next = List.of("weir", "eval", target.resolve(TASK).toString());
    if (asJson) {
      surroundings.out().println(document(target, next));
    } else {
      print(target, next);
    }
    return ExitCode.SUCCESS;
  }

  private static void requireFree(Path target) {
    if (Files.exists(target) && !Files.isDirectory(target) && !target.toString().isEmpty()) {
      throw new ConfigurationException(
          "%s is a file; give a directory".formatted(Printable.line(target.toString())));
    }
    List<String> taken =
        FILES.keySet().stream()
            .map(target::resolve)
            // A link that leads nowhere is in the way, too.
            .filter(file -> Files.exists(file, LinkOption.NOFOLLOW_LINKS))
            .map(Path::toString)
            .map(Printable::line)
            .toList();
    if (!taken.isEmpty()) {
      throw new ConfigurationException(
          "%s already exist%s; nothing was written. Give another directory: weir init DIR"
              .formatted(String.join(", ", taken), taken.size() == 1 ? "s" : ""));
    }
  }

  private static byte[] content(String name) throws IOException {
    try (InputStream resource = InitCommand.class.getResourceAsStream("init/" + name)) {
      if (resource == null) {
        throw new IllegalStateException(
            "the file init/%s is missing from the program".formatted(name));
      }
      return resource.readAllBytes();
    }
  }

  private void print(Path target, List<String> next) {
    int width =
        FILES.keySet().stream()
            .mapToInt(name -> Cells.width(Printable.line(target.resolve(name).toString())))
            .max()
            .orElse(0);
    FILES.forEach(
        (name, what) -> {
          String file = Printable.line(target.resolve(name).toString());
          surroundings.out().println("Created " + Cells.fit(file, width, false) + "  " + what);
        });
    surroundings.out().println();
    surroundings
        .out()
        .println("Run it:  " + String.join(" ", next.stream().map(ShellWord::of).toList()));
  }

  private static ObjectNode document(Path target, List<String> next) {
    ObjectNode document = new JsonMapper().createObjectNode();
    var files = document.putArray("files");
    FILES.keySet().forEach(name -> files.add(target.resolve(name).toString()));
    next.forEach(document.putArray("command")::add);
    return document;
  }
}
