package dev.weir.cli;

import dev.weir.eval.option.LimitOptions;
import dev.weir.eval.option.Option;
import dev.weir.eval.option.Options;
import dev.weir.eval.option.RunOptions;
import dev.weir.eval.option.Secrets;
import dev.weir.eval.option.Settings;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.limits.Mode;
import dev.weir.model.ConfigurationException;
import dev.weir.model.ModelName;
import dev.weir.model.Printable;
import dev.weir.model.spi.Providers;
import java.io.PrintWriter;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The configuration that tasks would run with, and where each value comes from. */
final class ConfigTable {

  private static final JsonMapper JSON =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  private static final Pattern DEFAULT = Pattern.compile("Default: (.+?)\\.?$");

  /** A default that is another in some modes: {@code no limit (mode halving: 3)}. */
  private static final Pattern BY_MODE = Pattern.compile("(.+) \\(modes? ([a-z ]+): (.+)\\)");

  /** What is said of an option where it has no value. */
  private static final Pattern PROSE = Pattern.compile("none|never|all|.* .*", Pattern.DOTALL);

  private static final Pattern NUMBER = Pattern.compile("-?(0|[1-9]\\d{0,17})(\\.\\d{1,17})?");

  static final String BY_DEFAULT = "default";

  private final List<TaskDefinition> tasks;
  private final Settings given;
  private final Secrets secrets;
  private final List<Line> shown;

  /**
   * @param shown how runs are shown, which is no option of theirs
   */
  ConfigTable(List<TaskDefinition> tasks, Settings given, Secrets secrets, List<Line> shown) {
    this.tasks = tasks;
    this.given = given;
    this.secrets = secrets;
    this.shown = List.copyOf(shown);
  }

  void print(PrintWriter out) {
    for (TaskDefinition task : tasks) {
      out.println(
          "%s: %s"
              .formatted(
                  Printable.line(task.name()),
                  Numbers.count(task.dataset().samples().size(), "sample")));
      List<Line> lines = lines(task);
      int keys = lines.stream().mapToInt(line -> line.key().length()).max().orElse(0);
      int values = lines.stream().mapToInt(line -> line.value().length()).max().orElse(0);
      for (Line line : lines) {
        out.println(
            ("  " + padded(line.key(), keys) + "  " + padded(line.value(), Math.min(values, 40)))
                + "  "
                + line.origin());
      }
    }
  }

  String json() {
    List<Map<String, Object>> all = new ArrayList<>();
    for (TaskDefinition task : tasks) {
      Map<String, Object> options = new LinkedHashMap<>();
      for (Line line : lines(task)) {
        options.put(line.key(), document(line));
      }
      Map<String, Object> document = new LinkedHashMap<>();
      document.put("task", task.name());
      document.put("samples", task.dataset().samples().size());
      document.put("options", options);
      all.add(document);
    }
    return JSON.writeValueAsString(all.size() == 1 ? all.getFirst() : all);
  }

  /** What has no value has a note that says what holds then. */
  private static Map<String, @Nullable Object> document(Line line) {
    boolean isProse = line.origin().startsWith(BY_DEFAULT) && PROSE.matcher(line.value()).matches();
    Map<String, @Nullable Object> document = new LinkedHashMap<>();
    document.put("value", isProse ? null : typed(line.value()));
    if (isProse) {
      document.put("note", line.value());
    }
    document.put("origin", line.origin());
    return document;
  }

  private static Object typed(String word) {
    if (word.equals("true") || word.equals("false")) {
      return word.equals("true");
    }
    return NUMBER.matcher(word).matches() ? new BigDecimal(word) : word;
  }

  /**
   * @param origin where the value is from; {@link #BY_DEFAULT}, perhaps with a reason after it, if
   *     nobody gave it
   */
  record Line(String key, String value, String origin) {}

  private List<Line> lines(TaskDefinition task) {
    Settings settings = given.orElse(task.settings());
    Map<String, Mode> modes = modes(RunOptions.parse(settings));
    Secrets hiding = secrets.and(task.provenance().secrets());
    List<Line> lines = new ArrayList<>();
    for (Option option : Options.all()) {
      lines.add(
          settings
              .setting(option)
              .map(set -> line(option, set, settings, modes, hiding))
              .orElseGet(
                  () ->
                      new Line(
                          option.key(),
                          defaultOf(option, modes),
                          whyDefault(option, settings, hiding))));
    }
    lines.addAll(shown);
    return lines;
  }

  private static String whyDefault(Option option, Settings settings, Secrets hiding) {
    return settings.replaced().stream()
        .filter(replaced -> replaced.option().equals(option))
        .findFirst()
        .map(
            replaced ->
                "%s; %s".formatted(BY_DEFAULT, hiding.hidden(Printable.line(replaced.toString()))))
        .orElse(BY_DEFAULT);
  }

  private static Line line(
      Option option,
      Settings.Setting set,
      Settings settings,
      Map<String, Mode> modes,
      Secrets hiding) {
    // A mode that is given is that of all models, unless a fixed window wins over it.
    Mode first = modes.values().iterator().next();
    String mode = first.word();
    if (option.name().equals("adaptive-connections") && first instanceof Mode.Aimd) {
      return new Line(option.key(), defaultOf(option, first), Printable.line(set.origin()));
    }
    return option.name().equals("concurrency-mode") && !set.word().equals(mode)
        ? new Line(option.key(), mode, whyStatic(set, settings))
        : new Line(
            option.key(), hiding.hidden(Printable.line(set.word())), Printable.line(set.origin()));
  }

  private static String whyStatic(Settings.Setting given, Settings settings) {
    Settings.Setting fixed =
        settings
            .setting(Options.named("max-connections"))
            .or(() -> settings.setting(Options.named("adaptive-connections")))
            .orElse(given);
    return "%s, which fixes the window; %s says %s"
        .formatted(Printable.line(fixed.origin()), Printable.line(given.origin()), given.word());
  }

  /** The mode that each evaluated model has, by its name. */
  private static Map<String, Mode> modes(RunOptions options) {
    LimitOptions limits = options.limits();
    if (options.model().isEmpty()) {
      return Map.of("", limits.mode());
    }
    Map<String, Mode> modes = new LinkedHashMap<>();
    for (String model : options.model()) {
      modes.put(model, isLimited(model, options) ? limits.mode() : limits.modeWithoutProvider());
    }
    return modes;
  }

  private static boolean isLimited(String model, RunOptions options) {
    try {
      ModelName name = ModelName.parse(model);
      return Providers.find(name).isLimited(name, options.modelArguments());
    } catch (ConfigurationException unknown) {
      // A run tells it; the rest of the table holds all the same.
      return true;
    }
  }

  /** What holds in the modes that the models have; where it differs, for which of them. */
  private static String defaultOf(Option option, Map<String, Mode> modes) {
    Map<String, List<String>> models = new LinkedHashMap<>();
    modes.forEach(
        (model, mode) ->
            models
                .computeIfAbsent(defaultOf(option, mode), _ -> new ArrayList<>())
                .add(Printable.line(model)));
    return models.size() == 1
        ? models.keySet().iterator().next()
        : models.entrySet().stream()
            .map(entry -> entry.getKey() + " for " + String.join(" and ", entry.getValue()))
            .collect(Collectors.joining(", "));
  }

  /** What holds in a mode. */
  private static String defaultOf(Option option, Mode mode) {
    return switch (option.name()) {
      case "concurrency-mode" -> mode.word();
      case "max-connections" ->
          mode instanceof Mode.Static || mode instanceof Mode.Pace
              ? String.valueOf(mode.mostInFlight())
              : "none";
      case "adaptive-connections" ->
          mode instanceof Mode.Aimd(var range)
              ? "%d-%d-%d".formatted(range.min(), range.start(), range.max())
              : "none";
      case "cooldown-seconds", "decrease-factor", "scale-up-percent" ->
          mode instanceof Mode.Aimd ? described(option, mode) : "none";
      case "max-concurrency" ->
          mode instanceof Mode.Halving(int max, _) ? String.valueOf(max) : described(option, mode);
      case "min-concurrency" ->
          switch (mode) {
            case Mode.Halving(_, int min) -> String.valueOf(min);
            case Mode.Aimd(var range) -> String.valueOf(range.min());
            case Mode.Static _, Mode.Pace _ -> "none";
          };
      default -> described(option, mode);
    };
  }

  private static String described(Option option, Mode mode) {
    Matcher text = DEFAULT.matcher(option.description());
    String told = text.find() ? String.valueOf(text.group(1)) : "none";
    Matcher byMode = BY_MODE.matcher(told);
    if (!byMode.matches()) {
      return told;
    }
    boolean isOther = List.of(String.valueOf(byMode.group(2)).split(" ", -1)).contains(mode.word());
    return String.valueOf(byMode.group(isOther ? 3 : 1));
  }

  private static String padded(String text, int width) {
    return text.length() >= width
        ? text
        : String.format(Locale.ROOT, "%s%s", text, " ".repeat(width - text.length()));
  }
}
