package dev.weir.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** {@code --dry-run}, for commands that call models. */
final class DryRunFlag {

  @Option(
      names = "--dry-run",
      description = "Estimate samples, calls, tokens, cost and duration without sending anything.")
  private @Nullable Boolean dryRun;

  boolean isSet(Environment environment) {
    return environment.flag(dryRun, "WEIR_DRY_RUN");
  }
}
