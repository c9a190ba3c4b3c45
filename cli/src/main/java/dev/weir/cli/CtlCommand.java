package dev.weir.cli;

import dev.weir.cli.control.ControlClient;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;

/** {@code weir ctl}: looks at evaluations that run, and changes them. */
@Command(
    name = "ctl",
    description = {
      "Inspect and change running evaluations. Each change is recorded in their logs.",
      "",
      "RUN is the id that list shows, its beginning, or the process; it may be left out if only one"
          + " runs. Evaluations started with WEIR_CTL=off cannot be reached."
    },
    synopsisSubcommandLabel = "COMMAND",
    footerHeading = "%nExamples:%n",
    footer = {
      "  weir ctl list",
      "  weir ctl show",
      "  weir ctl limits --max-connections 4 --reason \"others need the quota\"",
      "  weir ctl pause && weir ctl resume",
      "  weir ctl cancel-sample 17 --reason \"it loops\""
    })
final class CtlCommand implements Runnable {

  private static final String RUN = "Which evaluation. Default: the only one.";
  private static final String JSON = "Print one JSON document. Default: false.";
  private static final String REASON = "Why, for the log.";

  @Spec private @Nullable CommandSpec spec;

  private final Surroundings surroundings;

  CtlCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  @Override
  public void run() {
    if (spec != null) {
      throw new ParameterException(
          spec.commandLine(),
          "no command is given; there are list, show, limits, pause, resume, cancel, cancel-sample"
              + " and flush");
    }
  }

  @Command(
      name = "list",
      description = "List the evaluations of this user that run on this machine.",
      footerHeading = "%nExamples:%n",
      footer = {"  weir ctl list", "  weir ctl list --json | jq '.[].id'"})
  int list(@Option(names = "--json", description = JSON) @Nullable Boolean json)
      throws IOException {
    ControlledRuns.Running running = runs().running();
    if (isJson(json)) {
      say(ControlledRuns.document(running.summaries()));
    } else if (running.silent().isEmpty() || !running.summaries().isEmpty()) {
      CtlTable.list(running.summaries()).forEach(this::say);
    }
    running.silent().forEach(sentence -> surroundings.err().println("weir: " + sentence));
    return running.silent().isEmpty() ? ExitCode.SUCCESS : ExitCode.FAILED;
  }

  @Command(
      name = "show",
      description = "Show limits, what calls wait for, and running samples.",
      footerHeading = "%nExamples:%n",
      footer = {"  weir ctl show", "  weir ctl show --json | jq '.models[].window'"})
  int show(
      @Parameters(arity = "0..1", paramLabel = "RUN", description = RUN) @Nullable String run,
      @Option(names = "--json", description = JSON) @Nullable Boolean json)
      throws IOException {
    JsonNode shown = ask(run, "show", Map.of());
    if (isJson(json)) {
      say(ControlledRuns.document(shown));
    } else {
      CtlTable.show(shown).forEach(this::say);
    }
    return ExitCode.SUCCESS;
  }

  @Command(
      name = "limits",
      description = {
        "Change the limits of a model. Calls in flight continue, and count.",
        "",
        "Without a mode, the bounds of the present one are changed."
      },
      footerHeading = "%nExamples:%n",
      footer = {
        "  weir ctl limits --max-connections 4",
        "  weir ctl limits 1k2j --model openai/gpt-5.6-terra --rpm 500 --reason \"a new tier\"",
        "  weir ctl limits --concurrency-mode pace"
      })
  int limits(
      @Parameters(arity = "0..1", paramLabel = "RUN", description = RUN) @Nullable String run,
      @Option(
              names = "--model",
              paramLabel = "PROVIDER/MODEL",
              description = "Whose limits. Default: those of the only model.")
          @Nullable String model,
      @Option(names = "--max-connections", paramLabel = "N", description = "Most calls in flight.")
          @Nullable String maxConnections,
      @Option(names = "--rpm", paramLabel = "N", description = "Requests per minute at most.")
          @Nullable String rpm,
      @Option(names = "--tpm", paramLabel = "N", description = "Tokens per minute at most.")
          @Nullable String tpm,
      @Option(
              names = {"--concurrency-mode", "--mode"},
              paramLabel = "MODE",
              description = "How calls are regulated: static, aimd, halving or pace.")
          @Nullable String mode,
      @Option(
              names = "--adaptive-connections",
              paramLabel = "RANGE",
              description = "The window of mode aimd, such as 4-80 or 4-40-80.")
          @Nullable String adaptive,
      @Option(names = "--reason", paramLabel = "TEXT", description = REASON)
          @Nullable String reason,
      @Option(names = "--json", description = JSON) @Nullable Boolean json)
      throws IOException {
    Map<String, Object> limits = new LinkedHashMap<>();
    put(limits, "max_connections", maxConnections);
    put(limits, "rpm", rpm);
    put(limits, "tpm", tpm);
    put(limits, "concurrency_mode", mode);
    put(limits, "adaptive_connections", adaptive);
    Map<String, Object> fields = fields(reason);
    put(fields, "model", model);
    fields.put("limits", limits);
    JsonNode now = ask(run, "limits", fields);
    return tell(now, json, "Limits are now: " + now.path("limits").asString());
  }

  @Command(
      name = "pause",
      description = "Start no new samples; running ones are finished.",
      footerHeading = "%nExamples:%n",
      footer = {"  weir ctl pause", "  weir ctl pause --now --reason \"the provider is down\""})
  int pause(
      @Parameters(arity = "0..1", paramLabel = "RUN", description = RUN) @Nullable String run,
      @Option(
              names = "--now",
              description =
                  "Samples that run make no further calls, either. Calls that wait for their turn"
                      + " are made still.")
          boolean now,
      @Option(names = "--reason", paramLabel = "TEXT", description = REASON)
          @Nullable String reason,
      @Option(names = "--json", description = JSON) @Nullable Boolean json)
      throws IOException {
    Map<String, Object> fields = fields(reason);
    fields.put("now", now);
    JsonNode paused = ask(run, "pause", fields);
    return tell(
        paused,
        json,
        "Paused; %s"
            .formatted(
                now
                    ? Numbers.count(paused.path("running").asInt(), "sample") + " held"
                    : Numbers.count(paused.path("running").asInt(), "sample") + " to finish"));
  }

  @Command(
      name = "resume",
      description = "Resume a paused evaluation.",
      footerHeading = "%nExamples:%n",
      footer = {"  weir ctl resume"})
  int resume(
      @Parameters(arity = "0..1", paramLabel = "RUN", description = RUN) @Nullable String run,
      @Option(names = "--reason", paramLabel = "TEXT", description = REASON)
          @Nullable String reason,
      @Option(names = "--json", description = JSON) @Nullable Boolean json)
      throws IOException {
    return tell(ask(run, "resume", fields(reason)), json, "Resumed");
  }

  @Command(
      name = "cancel",
      description = "Cancel an evaluation cleanly, as Ctrl+C does; weir eval-retry resumes it.",
      footerHeading = "%nExamples:%n",
      footer = {"  weir ctl cancel --reason \"the wrong prompt\""})
  int cancel(
      @Parameters(arity = "0..1", paramLabel = "RUN", description = RUN) @Nullable String run,
      @Option(names = "--reason", paramLabel = "TEXT", description = REASON)
          @Nullable String reason,
      @Option(names = "--json", description = JSON) @Nullable Boolean json)
      throws IOException {
    return tell(ask(run, "cancel", fields(reason)), json, "Cancelling");
  }

  @Command(
      name = "cancel-sample",
      description = "End a running sample: it is scored as it stands, or recorded as an error.",
      footerHeading = "%nExamples:%n",
      footer = {
        "  weir ctl cancel-sample 17",
        "  weir ctl cancel-sample 1k2j 17 --epoch 2 --error --reason \"it loops\""
      })
  int cancelSample(
      @Parameters(
              arity = "1..2",
              paramLabel = "[RUN] ID",
              description = "The id of the sample, and before it the evaluation if several run.")
          List<String> runAndSample,
      @Option(
              names = "--epoch",
              paramLabel = "N",
              description = "Which repetition. Default: the oldest that runs.")
          @Nullable Integer epoch,
      @Option(names = "--task", paramLabel = "NAME", description = "Whose sample, if several run.")
          @Nullable String task,
      @Option(
              names = "--model",
              paramLabel = "PROVIDER/MODEL",
              description = "On which model, if there are several.")
          @Nullable String model,
      @Option(names = "--error", description = "Record it as an error. Default: score it.")
          boolean error,
      @Option(names = "--reason", paramLabel = "TEXT", description = REASON)
          @Nullable String reason,
      @Option(names = "--json", description = JSON) @Nullable Boolean json)
      throws IOException {
    Map<String, Object> fields = fields(reason);
    fields.put("sample", runAndSample.getLast());
    put(fields, "epoch", epoch);
    put(fields, "task", task);
    put(fields, "model", model);
    fields.put("error", error);
    JsonNode ended =
        ask(runAndSample.size() == 2 ? runAndSample.getFirst() : null, "cancel-sample", fields);
    return tell(
        ended,
        json,
        error ? "Cancelling; it is recorded as an error" : "Cancelling; it is scored as it stands");
  }

  @Command(
      name = "flush",
      description = "Report what is on the disk; all samples that have ended are.",
      footerHeading = "%nExamples:%n",
      footer = {"  weir ctl flush"})
  int flush(
      @Parameters(arity = "0..1", paramLabel = "RUN", description = RUN) @Nullable String run,
      @Option(names = "--reason", paramLabel = "TEXT", description = REASON)
          @Nullable String reason,
      @Option(names = "--json", description = JSON) @Nullable Boolean json)
      throws IOException {
    JsonNode flushed = ask(run, "flush", fields(reason));
    if (isJson(json)) {
      say(ControlledRuns.document(flushed));
    } else {
      CtlTable.flushed(flushed).forEach(this::say);
    }
    return ExitCode.SUCCESS;
  }

  private ControlledRuns runs() {
    return new ControlledRuns(new ControlClient(surroundings.time()), surroundings.environment());
  }

  private JsonNode ask(@Nullable String run, String command, Map<String, Object> fields)
      throws IOException {
    return runs().ask(Optional.ofNullable(run), command, fields);
  }

  private static Map<String, Object> fields(@Nullable String reason) {
    Map<String, Object> fields = new LinkedHashMap<>();
    put(fields, "reason", reason);
    return fields;
  }

  private static void put(Map<String, Object> fields, String name, @Nullable Object value) {
    if (value != null) {
      fields.put(name, value);
    }
  }

  private int tell(JsonNode result, @Nullable Boolean json, String sentence) {
    say(isJson(json) ? ControlledRuns.document(result) : sentence + ".");
    return ExitCode.SUCCESS;
  }

  private boolean isJson(@Nullable Boolean given) {
    return new Environment(surroundings.environment()).flag(given, "WEIR_JSON");
  }

  private void say(String line) {
    surroundings.out().println(line);
  }
}
