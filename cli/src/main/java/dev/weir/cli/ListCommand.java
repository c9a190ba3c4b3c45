package dev.weir.cli;

import dev.weir.eval.scorer.Scorers;
import dev.weir.eval.solver.Solvers;
import dev.weir.eval.source.TaskSource;
import dev.weir.eval.source.TaskSources;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.eval.task.TaskInput;
import dev.weir.eval.tool.Tools;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Printable;
import dev.weir.model.price.PriceTable;
import dev.weir.simulator.server.Profile;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** {@code weir list}: what can be run, and what tasks can name. */
@Command(
    name = "list",
    description =
        "List tasks, and the scorers, solvers, tools, models and profiles that they can use.",
    synopsisSubcommandLabel = "COMMAND",
    footerHeading = "%nExamples:%n",
    footer = {
      "  weir list tasks examples",
      "  weir list scorers",
      "  weir list scorers match",
      "  weir list models --json | jq -r '.name'"
    })
final class ListCommand implements Runnable {

  /** A name that is cut shorter says nothing. */
  private static final int LEAST_NAME = 16;

  @Spec private @Nullable CommandSpec spec;

  private final Surroundings surroundings;

  ListCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  @Override
  public void run() {
    if (spec != null) {
      throw new ParameterException(
          spec.commandLine(),
          "no command is given; there are tasks, scorers, solvers, tools, models and profiles");
    }
  }

  /**
   * A task, or one that needs arguments to be made.
   *
   * @param spec what {@code weir eval} takes
   * @param task absent if it needs arguments
   */
  private record Listed(String spec, TaskSource source, Optional<TaskDefinition> task) {

    String name() {
      return Printable.line(
          task.map(TaskDefinition::name)
              .orElseGet(() -> spec.substring(spec.lastIndexOf('@') + 1)));
    }

    String samples() {
      if (task.isEmpty()) {
        return "needs -T " + String.join("=… -T ", source.parameters()) + "=…";
      }
      int samples = task.get().dataset().samples().size();
      return samples == 1 ? "1 sample" : samples + " samples";
    }
  }

  @Command(
      name = "tasks",
      description = {
        "List the tasks of files, jars, classes and directories: the name of each, the argument of"
            + " weir eval that runs it alone, its language, and its number of samples.",
        "",
        "The exit code is 2 if one of them cannot be read; the others are listed all the same."
      },
      footerHeading = "%nExamples:%n",
      footer = {
        "  weir list tasks examples",
        "  weir list tasks examples/java --json | jq '.spec'"
      })
  int tasks(
      @Parameters(
              arity = "1..*",
              paramLabel = "PATH",
              description = "Task files (.yaml, .java, .jar), directories or classes.")
          List<String> places,
      @Option(names = "--json", description = "One JSON document per line.") boolean json) {
    var input = new TaskInput(Map.of(), surroundings.environment(), InputStream::nullInputStream);
    List<String> problems = new ArrayList<>();
    List<Listed> listed = new ArrayList<>();
    for (String place : places) {
      for (String file : told(problems, () -> TaskSources.files(place)).orElse(List.of())) {
        for (TaskSource source : told(problems, () -> TaskSources.find(file)).orElse(List.of())) {
          told(problems, () -> listed(source, input)).ifPresent(listed::addAll);
        }
      }
    }
    if (json) {
      listed.forEach(task -> surroundings.out().println(document(task)));
    } else {
      table(listed);
    }
    problems.forEach(problem -> surroundings.err().println("weir: " + Printable.line(problem)));
    return problems.isEmpty() ? ExitCode.SUCCESS : ExitCode.USAGE;
  }

  @Command(
      name = "scorers",
      description = "List the scorers, which judge answers.",
      footerHeading = "%nExamples:%n",
      footer = {"  weir list scorers", "  weir list scorers match"})
  int scorers(
      @Parameters(
              arity = "0..*",
              paramLabel = "NAME",
              description = "Describe only these, with their arguments. Default: all, in short.")
          @Nullable List<String> names,
      @Option(names = "--json", description = "One JSON document per line.") boolean json) {
    new ComponentList("scorer", Scorers.all()).print(surroundings, named(names), json);
    return ExitCode.SUCCESS;
  }

  @Command(
      name = "solvers",
      description = "List the solvers, which are the steps of a sample.",
      footerHeading = "%nExamples:%n",
      footer = {"  weir list solvers", "  weir list solvers multiple_choice"})
  int solvers(
      @Parameters(
              arity = "0..*",
              paramLabel = "NAME",
              description = "Describe only these, with their arguments. Default: all, in short.")
          @Nullable List<String> names,
      @Option(names = "--json", description = "One JSON document per line.") boolean json) {
    new ComponentList("solver", Solvers.all()).print(surroundings, named(names), json);
    return ExitCode.SUCCESS;
  }

  @Command(
      name = "tools",
      description = "List the tools that agents can be given.",
      footerHeading = "%nExamples:%n",
      footer = {"  weir list tools", "  weir list tools bash"})
  int tools(
      @Parameters(
              arity = "0..*",
              paramLabel = "NAME",
              description = "Describe only these, with their arguments. Default: all, in short.")
          @Nullable List<String> names,
      @Option(names = "--json", description = "One JSON document per line.") boolean json) {
    new ComponentList("tool", Tools.all()).print(surroundings, named(names), json);
    return ExitCode.SUCCESS;
  }

  @Command(
      name = "models",
      description =
          "List the models whose prices are known, including those of WEIR_PRICES; providers have"
              + " others.",
      footerHeading = "%nExamples:%n",
      footer = {"  weir list models", "  weir list models --json | jq -r '.name'"})
  int models(@Option(names = "--json", description = "One JSON document per line.") boolean json) {
    ModelPrices.of(PriceTable.of(surroundings.environment())).print(surroundings, json);
    return ExitCode.SUCCESS;
  }

  @Command(
      name = "profiles",
      description =
          "List the published tiers that weir simulate --profile and weir eval --rehearse take.",
      footerHeading = "%nExamples:%n",
      footer = {"  weir list profiles", "  weir list profiles --json | jq -r '.profile'"})
  int profiles(
      @Option(names = "--json", description = "One JSON document per line.") boolean json) {
    var table = new ProfileTable(surroundings.out());
    if (json) {
      table.printLines(Profile.all());
    } else {
      table.print(Profile.all(), false);
    }
    return ExitCode.SUCCESS;
  }

  /** picocli gives null where no name is given. */
  private static List<String> named(@Nullable List<String> names) {
    return names == null ? List.of() : names;
  }

  private interface Reading<T> {
    T read();
  }

  private static <T> Optional<T> told(List<String> problems, Reading<T> reading) {
    try {
      return Optional.of(reading.read());
    } catch (ConfigurationException unusable) {
      problems.add(String.valueOf(unusable.getMessage()));
      return Optional.empty();
    }
  }

  private static List<Listed> listed(TaskSource source, TaskInput input) {
    if (!source.isComplete()) {
      return List.of(new Listed(source.spec(), source, Optional.empty()));
    }
    List<TaskDefinition> tasks = source.load(input);
    return tasks.stream()
        .map(
            task ->
                new Listed(
                    tasks.size() == 1 ? source.spec() : source.spec() + "@" + task.name(),
                    source,
                    Optional.of(task)))
        .toList();
  }

  /** As a shell takes it for one word. */
  private static String word(String spec) {
    String line = Printable.line(spec);
    return line.matches("[\\w./@:=,+%-]+") ? line : "'" + line.replace("'", "'\\''") + "'";
  }

  /**
   * A line for each task. Where that is too wide, what weir eval takes stands on a line of its own,
   * whole, so that it can be copied.
   */
  private void table(List<Listed> tasks) {
    int columns = surroundings.columns();
    int spec = widest(tasks, task -> word(task.spec()));
    int kind = widest(tasks, task -> task.source().kind().word());
    int samples = widest(tasks, Listed::samples);
    int name = widest(tasks, Listed::name);
    boolean isNarrow = name + spec + kind + samples + 3 * Grid.GAP > columns;
    int shown =
        isNarrow
            ? Math.min(name, Math.max(LEAST_NAME, columns - kind - samples - 2 * Grid.GAP))
            : name;
    String gap = " ".repeat(Grid.GAP);
    for (Listed task : tasks) {
      List<String> cells = new ArrayList<>();
      cells.add(Cells.fit(task.name(), shown, false));
      if (!isNarrow) {
        cells.add(Cells.fit(word(task.spec()), spec, false));
      }
      cells.add(Cells.fit(task.source().kind().word(), kind, false));
      cells.add(task.samples());
      surroundings.out().println(String.join(gap, cells));
      if (isNarrow) {
        surroundings.out().println(gap + word(task.spec()));
      }
    }
  }

  private static int widest(List<Listed> tasks, Function<Listed, String> column) {
    return tasks.stream().map(column).mapToInt(Cells::width).max().orElse(0);
  }

  private static ObjectNode document(Listed task) {
    ObjectNode document =
        new JsonMapper()
            .createObjectNode()
            .put("name", task.name())
            .put("spec", task.spec())
            .put("kind", task.source().kind().word());
    task.task().ifPresent(made -> document.put("samples", made.dataset().samples().size()));
    task.source().parameters().forEach(document.putArray("parameters")::add);
    return document;
  }
}
