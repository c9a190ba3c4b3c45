package dev.weir.cli;

import dev.weir.eval.memory.LearnedLimits;
import dev.weir.eval.memory.LimitStore;
import dev.weir.eval.memory.LimitStore.Entry;
import dev.weir.limits.pace.PaceMemory;
import dev.weir.log.StateDirectory;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Printable;
import dev.weir.model.Spelling;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** {@code weir limits}: shows and removes what runs learned about limits. */
@Command(
    name = "limits",
    description = {
      "Show or remove the limits that runs learned.",
      "",
      "Runs in mode pace save what they learn about the limits of an account, a model and a base"
          + " URL, and later runs start from it; --no-memory turns that off. The files are in"
          + " 'limits' of the state directory: WEIR_STATE_DIR, or else the usual place of the"
          + " platform, such as ~/.local/state/weir."
    },
    synopsisSubcommandLabel = "COMMAND",
    footerHeading = "%nExamples:%n",
    footer = {
      "  weir limits show",
      "  weir limits show openai/gpt-5.6-terra",
      "  weir limits forget openai/gpt-5.6-terra",
      "  weir limits forget --all"
    })
final class LimitsCommand implements Runnable {

  private static final JsonMapper JSON =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  /** Enough of a fingerprint to distinguish the accounts of one person. */
  private static final int SHOWN_FINGERPRINT = 6;

  private static final String NONE = "-";

  private static final List<String> HEADINGS =
      List.of("model", "host", "account", "rpm", "tpm", "cap", "learned", "a run starts with");

  @Spec private @Nullable CommandSpec spec;

  private final Surroundings surroundings;

  LimitsCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  @Override
  public void run() {
    throw wrong("no command is given; there are show and forget");
  }

  @Command(
      name = "show",
      description = {
        "Show learned limits, and what a run would start with.",
        "",
        "A rate is used at 80 %% within the hour, at 40 %% after a day, and not at all after a"
            + " week."
      },
      footerHeading = "%nExamples:%n",
      footer = {
        "  weir limits show",
        "  weir limits show openai/gpt-5.6-terra",
        "  weir limits show --json | jq '.limits[].requests_per_minute'"
      })
  int show(
      @Parameters(
              arity = "0..1",
              paramLabel = "MODEL",
              description =
                  "Show only this model, such as openai/gpt-5.6-terra. Default: all models.")
          @Nullable String model,
      @Option(names = "--json", description = "Print one JSON document. Default: false.")
          @Nullable Boolean json)
      throws IOException {
    LimitStore store = store();
    List<Entry> entries = store.list();
    List<LearnedLimits> shown = new ArrayList<>();
    for (Entry entry : entries) {
      switch (entry) {
        case Entry.Usable(_, LearnedLimits limits) -> {
          if (model == null || limits.model().equals(model)) {
            shown.add(limits);
          }
        }
        case Entry.Unusable(var file, String why) ->
            surroundings
                .err()
                .println(
                    Printable.line(
                        "weir: %s %s, and is ignored; remove it with 'weir limits forget --unusable'"
                            .formatted(file, why)));
      }
    }
    if (model != null && shown.isEmpty()) {
      throw unknown(model, entries);
    }
    if (isJson(json)) {
      print(document(store, shown));
    } else if (shown.isEmpty()) {
      say("No limits are saved in " + Printable.line(store.directory().toString()));
    } else {
      table(shown);
    }
    return ExitCode.SUCCESS;
  }

  @Command(
      name = "forget",
      description = "Remove learned limits without asking; the next run learns them again.",
      footerHeading = "%nExamples:%n",
      footer = {
        "  weir limits forget openai/gpt-5.6-terra",
        "  weir limits forget --unusable",
        "  weir limits forget --all"
      })
  int forget(
      @Parameters(
              arity = "0..1",
              paramLabel = "MODEL",
              description = "Remove the limits of this model, for all accounts and base URLs.")
          @Nullable String model,
      @Option(names = "--all", description = "Remove the limits of all models.") boolean all,
      @Option(
              names = "--unusable",
              description = "Remove only files that runs ignore: damaged, or of another version.")
          boolean unusable,
      @Option(names = "--json", description = "Print one JSON document. Default: false.")
          @Nullable Boolean json)
      throws IOException {
    if ((model == null ? 0 : 1) + (all ? 1 : 0) + (unusable ? 1 : 0) != 1) {
      throw wrong("give one of MODEL, --all and --unusable");
    }
    LimitStore store = store();
    Predicate<Entry> unwanted =
        entry ->
            switch (entry) {
              case Entry.Usable(_, LearnedLimits limits) -> all || limits.model().equals(model);
              case Entry.Unusable _ -> all || unusable;
            };
    List<Entry> entries = store.list();
    if (model != null && entries.stream().noneMatch(unwanted)) {
      throw unknown(model, entries);
    }
    int removed = store.forget(unwanted);
    if (isJson(json)) {
      Map<String, Object> document = new LinkedHashMap<>();
      document.put("directory", store.directory().toString());
      document.put("removed", removed);
      print(document);
    } else {
      say(
          "Removed %s from %s"
              .formatted(
                  Numbers.count(removed, "file"), Printable.line(store.directory().toString())));
    }
    return ExitCode.SUCCESS;
  }

  private ParameterException wrong(String message) {
    if (spec == null) {
      throw new IllegalStateException("picocli has not set the command");
    }
    return new ParameterException(spec.commandLine(), message);
  }

  private static ConfigurationException unknown(String model, List<Entry> entries) {
    List<String> known =
        entries.stream()
            .flatMap(
                entry ->
                    entry instanceof Entry.Usable(_, LearnedLimits limits)
                        ? Stream.of(limits.model())
                        : Stream.empty())
            .distinct()
            .toList();
    return new ConfigurationException(
        "no limits are saved for the model '%s'%s"
            .formatted(model, known.isEmpty() ? "" : Spelling.hint(model, known)));
  }

  private LimitStore store() {
    return LimitStore.of(surroundings.environment(), surroundings.time())
        .orElseThrow(
            () ->
                new ConfigurationException(
                    "no state directory is known; set %s or HOME"
                        .formatted(StateDirectory.VARIABLE)));
  }

  private void table(List<LearnedLimits> shown) {
    List<List<String>> rows = new ArrayList<>(List.of(HEADINGS));
    shown.forEach(limits -> rows.add(row(limits)));
    int[] widths = new int[HEADINGS.size()];
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    for (List<String> row : rows) {
      var line = new StringBuilder();
      for (int i = 0; i < widths.length; i++) {
        String padding = " ".repeat(widths[i] - row.get(i).length());
        boolean isNumber = i >= 3 && i <= 5;
        line.append(isNumber ? padding : "").append(row.get(i)).append(isNumber ? "" : padding);
        line.append("  ");
      }
      say(line.toString().stripTrailing());
    }
  }

  private List<String> row(LearnedLimits limits) {
    PaceMemory memory = limits.memory();
    String account = limits.account();
    return List.of(
        name(limits),
        limits.host().isEmpty() ? NONE : limits.host(),
        account.isEmpty()
            ? NONE
            : account.substring(0, Math.min(SHOWN_FINGERPRINT, account.length())),
        perMinute(memory.requestsPerSecond()),
        perMinute(memory.tokensPerSecond()),
        memory.cap().isPresent() ? String.valueOf(memory.cap().getAsInt()) : NONE,
        age(memory),
        start(memory));
  }

  /** Of models that share a quota, the one that was asked last stands for all. */
  private static String name(LearnedLimits limits) {
    return limits.family().isEmpty()
        ? limits.model()
        : "%s (pool %s)".formatted(limits.model(), limits.family());
  }

  private static String perMinute(OptionalDouble perSecond) {
    return perSecond.isPresent() ? Numbers.brief(perSecond.getAsDouble() * 60) : NONE;
  }

  private String age(PaceMemory memory) {
    Duration age =
        Duration.between(
            Instant.ofEpochMilli(memory.learnedAtMillis()), surroundings.time().instant());
    if (age.toDays() > 0) {
      return Numbers.count(age.toDays(), "day") + " ago";
    }
    if (age.toHours() > 0) {
      return Numbers.count(age.toHours(), "hour") + " ago";
    }
    return age.toMinutes() > 0 ? age.toMinutes() + " min ago" : "just now";
  }

  private String start(PaceMemory memory) {
    return memory
        .startAt(surroundings.time().instant().toEpochMilli())
        .map(
            start -> {
              List<String> parts = new ArrayList<>();
              if (start.requestsPerSecond().isPresent()) {
                parts.add(perMinute(start.requestsPerSecond()) + " rpm");
              }
              if (start.tokensPerSecond().isPresent()) {
                parts.add(perMinute(start.tokensPerSecond()) + " tpm");
              }
              if (start.cap().isPresent()) {
                parts.add(start.cap().getAsInt() + " in flight");
              }
              return String.join(", ", parts);
            })
        .orElse("nothing: too old");
  }

  private Map<String, Object> document(LimitStore store, List<LearnedLimits> shown) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("directory", store.directory().toString());
    document.put("limits", shown.stream().map(this::document).toList());
    return document;
  }

  private Map<String, Object> document(LearnedLimits limits) {
    PaceMemory memory = limits.memory();
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("model", limits.model());
    document.put("pool", limits.family().isEmpty() ? null : limits.family());
    document.put("host", limits.host().isEmpty() ? null : limits.host());
    document.put("account", limits.account().isEmpty() ? null : limits.account());
    putAll(document, memory);
    document.put("learned", Instant.ofEpochMilli(memory.learnedAtMillis()).toString());
    document.put(
        "start",
        memory
            .startAt(surroundings.time().instant().toEpochMilli())
            .map(
                start -> {
                  Map<String, Object> values = new LinkedHashMap<>();
                  putAll(values, start);
                  return values;
                })
            .orElse(null));
    return document;
  }

  private static void putAll(Map<String, Object> document, PaceMemory memory) {
    document.put("requests_per_minute", number(memory.requestsPerSecond()));
    document.put("tokens_per_minute", number(memory.tokensPerSecond()));
    document.put("cap", memory.cap().isPresent() ? memory.cap().getAsInt() : null);
  }

  private static @Nullable Double number(OptionalDouble perSecond) {
    // Without the last digits that are but those of a double.
    return perSecond.isPresent() ? Math.rint(perSecond.getAsDouble() * 60_000) / 1_000 : null;
  }

  private boolean isJson(@Nullable Boolean given) {
    return new Environment(surroundings.environment()).flag(given, "WEIR_JSON");
  }

  private void print(Map<String, Object> document) {
    say(JSON.writeValueAsString(document));
  }

  private void say(String line) {
    surroundings.out().println(line);
  }
}
