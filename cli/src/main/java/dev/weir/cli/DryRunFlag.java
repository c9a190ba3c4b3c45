package dev.weir.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** {@code --dry-run}, for commands that call models. */
final class DryRunFlag {

  @Option(
      names = "--dry-run",
      description =
          "Tell how many samples, calls, tokens and dollars to expect, and how long; send nothing.")
  private @Nullable Boolean dryRun;

  boolean isSet(Environment environment) {
    return environment.flag(dryRun, "WEIR_DRY_RUN");
  }
}
