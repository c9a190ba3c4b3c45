package dev.weir.cli;

import dev.weir.log.EvalLogJson;
import dev.weir.model.ConfigurationException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weir log dump}: a log as JSON. */
@Command(
    name = "dump",
    description = {
      "Print a log, or the journal of a run in progress, as JSON in Inspect's form (EvalLog).",
      "",
      "It is written as it is read: a log of any size needs little memory."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  weir log dump logs/LOG.eval --header-only",
      "  weir log dump logs/LOG.eval --sample 7 --epoch 2",
      "  weir log dump logs/LOG.journal --json | jq '.samples | length'"
    })
final class LogDumpCommand implements Callable<Integer> {

  @Parameters(arity = "1", paramLabel = "FILE", description = "A log, or a journal.")
  private Path file = Path.of("");

  @Option(names = "--header-only", description = "Leave out the samples. Default: false.")
  private boolean headerOnly;

  @Option(names = "--sample", paramLabel = "ID", description = "Only this sample.")
  private @Nullable String sample;

  @Option(
      names = "--epoch",
      paramLabel = "N",
      description = "Which repetition of the sample. Default: 1.")
  private @Nullable Integer epoch;

  @Option(
      names = "--json",
      description = "Print it in one line, for programs. Default: false, indented.")
  private @Nullable Boolean json;

  private final Surroundings surroundings;

  LogDumpCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  @Override
  public Integer call() throws IOException {
    boolean indented = !new Environment(surroundings.environment()).flag(json, "WEIR_JSON");
    String id = sample;
    if (id != null && headerOnly) {
      throw new ConfigurationException("--sample and --header-only exclude each other");
    }
    if (id == null && epoch != null) {
      throw new ConfigurationException("--epoch is of one sample; name it with --sample");
    }
    Path log = LogPaths.log(file);
    List<String> damage = List.of();
    if (id == null) {
      damage = EvalLogJson.write(log, surroundings.out(), headerOnly, indented);
    } else {
      int wanted = epoch == null ? 1 : epoch;
      if (!EvalLogJson.writeSample(log, id, wanted, surroundings.out(), indented)) {
        throw new ConfigurationException(
            "%s has no sample '%s' of epoch %d".formatted(log, id, wanted));
      }
    }
    surroundings.out().println();
    return LogDamage.told(damage, surroundings);
  }
}
