package dev.weir.cli;

import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code weir completion}: what a shell needs to complete commands and options. */
@Command(
    name = "completion",
    description = "Print a completion script for bash and zsh.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  source <(weir completion)                                # this shell",
      "  mkdir -p ~/.local/share/bash-completion/completions",
      "  weir completion > ~/.local/share/bash-completion/completions/weir"
    })
final class CompletionCommand implements Runnable {

  private final Surroundings surroundings;

  CompletionCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  @Override
  public void run() {
    CommandLine root = Weir.commandLine(surroundings);
    surroundings.out().print(AutoComplete.bash("weir", root));
  }
}
