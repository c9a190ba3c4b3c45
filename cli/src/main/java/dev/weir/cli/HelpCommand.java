package dev.weir.cli;

import dev.weir.model.ConfigurationException;
import dev.weir.model.Spelling;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code weir help}: the same as {@code --help} of a command. */
@Command(
    name = "help",
    description = "Shows the help of a command.",
    footerHeading = "%nExamples:%n",
    footer = {"  weir help eval"})
final class HelpCommand implements Runnable {

  @Parameters(arity = "0..1", paramLabel = "COMMAND", description = "Whose help. Default: weir's.")
  private @Nullable String command;

  private final Surroundings surroundings;

  HelpCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  @Override
  public void run() {
    CommandLine root = Weir.commandLine(surroundings);
    if (command == null) {
      root.usage(surroundings.out());
      return;
    }
    CommandLine asked = root.getSubcommands().get(command);
    if (asked == null) {
      throw new ConfigurationException(
          "there is no command '%s'%s"
              .formatted(command, Spelling.hint(command, root.getSubcommands().keySet())));
    }
    asked.usage(surroundings.out());
  }
}
