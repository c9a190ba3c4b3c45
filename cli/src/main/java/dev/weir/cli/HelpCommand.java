package dev.weir.cli;

import dev.weir.model.ConfigurationException;
import dev.weir.model.Spelling;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code weir help}: the same as {@code --help} of a command. */
@Command(
    name = "help",
    description = "Show the help of a command.",
    footerHeading = "%nExamples:%n",
    footer = {"  weir help eval", "  weir help log show"})
final class HelpCommand implements Runnable {

  @Parameters(
      arity = "0..*",
      paramLabel = "COMMAND",
      description = "The command to describe, such as eval or log show. Default: weir.")
  private @Nullable List<String> commands;

  private final Surroundings surroundings;

  HelpCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  private static String unknown(CommandLine above, String command) {
    String name = above.getCommandSpec().qualifiedName();
    return above.getSubcommands().isEmpty()
        ? "%s has no commands; see `weir help%s`".formatted(name, name.substring(name.indexOf(' ')))
        : "there is no command '%s%s'%s"
            .formatted(
                above.getParent() == null ? "" : name.substring(name.indexOf(' ') + 1) + " ",
                command,
                Spelling.hint(command, above.getSubcommands().keySet()));
  }

  @Override
  public void run() {
    CommandLine asked = Weir.commandLine(surroundings);
    for (String command : commands == null ? List.<String>of() : commands) {
      CommandLine below = asked.getSubcommands().get(command);
      if (below == null) {
        throw new ConfigurationException(unknown(asked, command));
      }
      asked = below;
    }
    asked.usage(surroundings.out());
  }
}
