package dev.weir.cli;

import dev.weir.log.inspect.InspectLog;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code weir log}: looks at logs, and makes other files of them. */
@Command(
    name = "log",
    description = {
      "List, show, convert, recover and export logs of Weir (.eval, and .journal during a run) and"
          + " of Inspect (.eval, .json).",
      "",
      "See docs/logs.md."
    },
    synopsisSubcommandLabel = "COMMAND",
    footerHeading = "%nExamples:%n",
    footer = {
      "  weir log list",
      "  weir log show logs/LOG.eval --failed",
      "  weir log failures logs/LOG.eval",
      "  weir log dump logs/LOG.eval --sample 7 --epoch 2",
      "  weir log convert logs/LOG.eval --to json",
      "  weir log recover",
      "  weir log export logs/LOG.eval --format html --output report.html"
    })
final class LogCommand implements Runnable {

  @Spec private @Nullable CommandSpec spec;

  private final Surroundings surroundings;

  private LogCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  static CommandLine commandLine(Surroundings surroundings) {
    return new CommandLine(new LogCommand(surroundings))
        .addSubcommand(new LogListCommand(surroundings))
        .addSubcommand(new LogShowCommand(surroundings))
        .addSubcommand(new LogFailuresCommand(surroundings))
        .addSubcommand(new LogDumpCommand(surroundings))
        .addSubcommand(new LogConvertCommand(surroundings))
        .addSubcommand(new LogRecoverCommand(surroundings))
        .addSubcommand(new LogExportCommand(surroundings));
  }

  @Override
  public void run() {
    if (spec != null) {
      throw new ParameterException(
          spec.commandLine(),
          "no command is given; there are list, show, failures, dump, convert, recover, export and"
              + " schema");
    }
  }

  @Command(
      name = "schema",
      description = "Print the schema of .eval and .json logs: Inspect's OpenAPI document.",
      footerHeading = "%nExamples:%n",
      footer = {"  weir log schema | jq '.components.schemas.EvalSample'"})
  int schema() {
    surroundings.out().println(InspectLog.schema());
    return ExitCode.SUCCESS;
  }
}
