package dev.weir.cli;

import dev.weir.log.FailureKinds;
import dev.weir.log.FailureKinds.Kind;
import dev.weir.model.Printable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.json.JsonMapper;

/** {@code weir log failures}: what samples failed with, grouped. */
@Command(
    name = "failures",
    description = {
      "Group the errors of samples by kind, the most frequent first.",
      "",
      "Two errors are of one kind if they differ only in numbers, ids, addresses and quoted values."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  weir log failures",
      "  weir log failures logs/LOG.eval",
      "  weir log failures logs/LOG.eval --json | jq -r '.kinds[0].samples[].id'"
    })
final class LogFailuresCommand implements Callable<Integer> {

  private static final int SHOWN_SAMPLES = 5;
  private static final int LONGEST_EXAMPLE = 1_000;

  @Parameters(
      arity = "0..1",
      paramLabel = "LOG",
      description = "Log or journal to read. Default: the newest in WEIR_LOG_DIR, or ./logs.")
  private @Nullable Path file;

  @Option(names = "--limit", paramLabel = "N", description = "Show at most N kinds. Default: all.")
  private @Nullable Integer limit;

  @Option(names = "--json", description = "Print one JSON document. Default: false.")
  private @Nullable Boolean json;

  private final Surroundings surroundings;

  LogFailuresCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  @Override
  public Integer call() throws IOException {
    boolean asJson = new Environment(surroundings.environment()).flag(json, "WEIR_JSON");
    Path log = LogPaths.logOrNewest(file, surroundings);
    FailureKinds failures = FailureKinds.of(log);
    List<Kind> shown =
        failures.kinds().stream().limit(limit == null ? Long.MAX_VALUE : limit).toList();
    if (asJson) {
      surroundings
          .out()
          .println(new JsonMapper().writeValueAsString(document(log, failures, shown)));
    } else {
      print(log, failures, shown);
    }
    return LogDamage.told(failures.damage(), surroundings);
  }

  private void print(Path log, FailureKinds failures, List<Kind> shown) {
    PrintWriter out = surroundings.out();
    String name = Printable.line(log.toString());
    if (failures.kinds().isEmpty()) {
      out.println("No sample of %s ended with an error.".formatted(name));
      out.println("Samples with a score below 1: " + transcripts(log));
      return;
    }
    long recovered = failures.kinds().stream().mapToLong(Kind::recovered).sum();
    out.println(
        "%s failed in %s%s"
            .formatted(
                Numbers.count(failures.failed(), "sample"),
                name,
                recovered == 0 ? "" : "; " + Numbers.count(recovered, "error") + " retried"));
    for (Kind kind : shown) {
      out.println();
      out.println(
          "%s%s  %s"
              .formatted(
                  Numbers.count(kind.count(), "sample"),
                  kind.recovered() == 0 ? "" : " (+ %s retried)".formatted(kind.recovered()),
                  Printable.line(kind.kind())));
      if (!kind.example().equals(kind.kind())) {
        out.println("  such as: " + Cells.cut(Printable.line(kind.example()), LONGEST_EXAMPLE));
      }
      if (kind.count() > 0) {
        out.println("  samples: " + samples(kind));
      }
    }
    if (shown.size() < failures.kinds().size()) {
      out.println();
      out.println(
          "%s not shown (--limit)"
              .formatted(
                  Numbers.count((long) failures.kinds().size() - shown.size(), "more kind")));
    }
    if (failures.failed() > 0) {
      out.println();
      out.println("Transcripts: " + transcripts(log));
    }
  }

  private static String transcripts(Path log) {
    return "weir log show %s --failed".formatted(ShellWord.of(log));
  }

  private static String samples(Kind kind) {
    String named =
        kind.samples().stream()
            .limit(SHOWN_SAMPLES)
            .map(
                place ->
                    Printable.line(place.id()) + (place.epoch() == 1 ? "" : "#" + place.epoch()))
            .collect(Collectors.joining(", "));
    long more = kind.count() - Math.min(SHOWN_SAMPLES, kind.samples().size());
    return more == 0 ? named : "%s and %s more".formatted(named, more);
  }

  private static Map<String, Object> document(Path log, FailureKinds failures, List<Kind> shown) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("log", log.toString());
    document.put("failed", failures.failed());
    document.put("kinds", shown);
    return document;
  }
}
