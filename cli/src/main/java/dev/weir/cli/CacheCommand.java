package dev.weir.cli;

import dev.weir.model.CacheOptions;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Printable;
import dev.weir.model.Spelling;
import dev.weir.model.cache.CacheAge;
import dev.weir.model.cache.CacheDirectory;
import dev.weir.model.cache.CacheDirectory.ModelEntries;
import dev.weir.model.cache.CacheDirectory.Removed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** {@code weir cache}: looks after the answers that runs with --cache keep. */
@Command(
    name = "cache",
    description = {
      "Manage cached answers.",
      "",
      "They are in WEIR_CACHE_DIR, or else below XDG_CACHE_HOME or ~/.cache, and take at most"
          + " WEIR_CACHE_MAX_BYTES (1 GiB): the oldest make room."
    },
    synopsisSubcommandLabel = "COMMAND",
    footerHeading = "%nExamples:%n",
    footer = {
      "  weir cache list",
      "  weir cache clear --model openai/gpt-5.6-terra",
      "  weir cache prune --older-than 2d",
      "  du -sh \"$(weir cache path)\""
    })
final class CacheCommand implements Runnable {

  private static final JsonMapper JSON =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  private static final String UNREADABLE = "(unreadable)";

  @Spec private @Nullable CommandSpec spec;

  private final Surroundings surroundings;

  CacheCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  @Override
  public void run() {
    if (spec != null) {
      throw new ParameterException(
          spec.commandLine(), "no command is given; there are list, clear, prune and path");
    }
  }

  @Command(
      name = "list",
      description = "Show cached answers by model.",
      footerHeading = "%nExamples:%n",
      footer = {"  weir cache list", "  weir cache list --json | jq '.bytes'"})
  int list(
      @Option(names = "--json", description = "Print one JSON document. Default: false.")
          @Nullable Boolean json)
      throws IOException {
    CacheDirectory directory = directory();
    List<ModelEntries> models = directory.list();
    if (isJson(json)) {
      print(document(directory, models));
    } else if (models.isEmpty()) {
      say("Nothing is kept in " + Printable.line(directory.path().toString()));
    } else {
      table(models);
    }
    return ExitCode.SUCCESS;
  }

  @Command(
      name = "clear",
      description = "Remove all cached answers, or those of one model, without asking.",
      footerHeading = "%nExamples:%n",
      footer = {"  weir cache clear", "  weir cache clear --model openai/gpt-5.6-terra"})
  int clear(
      @Option(
              names = "--model",
              paramLabel = "PROVIDER/MODEL",
              description = "Whose answers to remove. Default: those of all models.")
          @Nullable String model,
      @Option(names = "--json", description = "Print one JSON document. Default: false.")
          @Nullable Boolean json)
      throws IOException {
    CacheDirectory directory = directory();
    if (model == null) {
      return tell(directory, directory.clear(), json);
    }
    List<String> known = directory.list().stream().map(ModelEntries::model).toList();
    if (!known.contains(model)) {
      throw new ConfigurationException(
          "nothing is kept of the model '%s'%s"
              .formatted(model, known.isEmpty() ? "" : Spelling.hint(model, known)));
    }
    return tell(directory, directory.clear(model), json);
  }

  @Command(
      name = "prune",
      description = "Remove answers that are too old or cannot be read.",
      footerHeading = "%nExamples:%n",
      footer = {"  weir cache prune", "  weir cache prune --older-than 12h"})
  int prune(
      @Option(
              names = "--older-than",
              paramLabel = "AGE",
              description = "How old is too old: 30m, 12h, 2d, 1w. Default: 7d.")
          @Nullable String age,
      @Option(names = "--json", description = "Print one JSON document. Default: false.")
          @Nullable Boolean json)
      throws IOException {
    CacheAge longest = age == null ? CacheAge.DEFAULT : CacheOptions.age("--older-than", age);
    CacheDirectory directory = directory();
    return tell(directory, directory.prune(longest, surroundings.time().instant()), json);
  }

  @Command(
      name = "path",
      description = "Print the directory of cached answers; it may not exist yet.",
      footerHeading = "%nExamples:%n",
      footer = {"  weir cache path"})
  int path() {
    say(directory().path().toString());
    return ExitCode.SUCCESS;
  }

  private CacheDirectory directory() {
    Path path = CacheOptions.directory(surroundings.environment()).toAbsolutePath();
    if (Files.exists(path) && !Files.isDirectory(path)) {
      throw new ConfigurationException(
          "the cache directory %s is a file; choose another one with %s"
              .formatted(path, CacheOptions.DIRECTORY_VARIABLE));
    }
    return new CacheDirectory(path);
  }

  private int tell(CacheDirectory directory, Removed removed, @Nullable Boolean json) {
    if (isJson(json)) {
      Map<String, Object> document = new LinkedHashMap<>();
      document.put("directory", directory.path().toString());
      document.put("removed", removed.entries());
      document.put("bytes", removed.bytes());
      print(document);
    } else {
      say(
          "Removed %d %s (%s) from %s"
              .formatted(
                  removed.entries(),
                  removed.entries() == 1 ? "entry" : "entries",
                  size(removed.bytes()),
                  Printable.line(directory.path().toString())));
    }
    return ExitCode.SUCCESS;
  }

  private Map<String, Object> document(CacheDirectory directory, List<ModelEntries> models) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("directory", directory.path().toString());
    document.put("entries", models.stream().mapToLong(ModelEntries::entries).sum());
    document.put("bytes", models.stream().mapToLong(ModelEntries::bytes).sum());
    document.put("max_bytes", CacheOptions.maxBytes(surroundings.environment()));
    document.put("models", models.stream().map(CacheCommand::document).toList());
    return document;
  }

  private static Map<String, Object> document(ModelEntries entries) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("model", entries.model().isEmpty() ? null : entries.model());
    document.put("entries", entries.entries());
    document.put("bytes", entries.bytes());
    document.put("oldest", entries.oldest().toString());
    document.put("newest", entries.newest().toString());
    return document;
  }

  private void table(List<ModelEntries> models) {
    int width =
        Math.max(5, models.stream().mapToInt(entries -> name(entries).length()).max().orElse(0));
    String row = "%-" + width + "s  %8s  %10s  %-20s  %-20s";
    say(row.formatted("model", "entries", "size", "oldest", "newest").stripTrailing());
    for (ModelEntries entries : models) {
      say(
          row.formatted(
                  name(entries),
                  entries.entries(),
                  size(entries.bytes()),
                  second(entries.oldest()),
                  second(entries.newest()))
              .stripTrailing());
    }
  }

  private static String name(ModelEntries entries) {
    return entries.model().isEmpty() ? UNREADABLE : Printable.line(entries.model());
  }

  private static String second(Instant instant) {
    return instant.truncatedTo(ChronoUnit.SECONDS).toString();
  }

  private static String size(long bytes) {
    return bytes < 1 << 20
        ? String.format(Locale.ROOT, "%d KiB", bytes >> 10)
        : String.format(Locale.ROOT, "%.1f MiB", bytes / (double) (1 << 20));
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
