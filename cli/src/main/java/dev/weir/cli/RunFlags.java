package dev.weir.cli;

import dev.weir.eval.metric.Reducer;
import dev.weir.eval.option.Option;
import dev.weir.eval.option.Options;
import dev.weir.eval.option.RunOptions;
import dev.weir.eval.option.Settings;
import dev.weir.model.ConfigurationException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.ISetter;
import picocli.CommandLine.Model.OptionSpec;

/** The options of a run as flags of a command: made of the one table that all sources share. */
final class RunFlags {

  /** Short forms that people know. */
  private static final Map<String, String> SHORT = Map.of("model-args", "-M", "task-args", "-T");

  /** Options that are on by default, and so have a flag that turns them off. */
  private static final Set<String> NEGATABLE = Set.of("memory");

  private static final String NO = "no-";

  private final Map<String, String> given = new HashMap<>();
  private final List<String> repeated = new ArrayList<>();
  private final List<Option> options;

  /** Those of a run. */
  RunFlags() {
    this(Options.all());
  }

  private RunFlags(List<Option> options) {
    this.options = options;
  }

  /** Those of a selection, and of its runs. */
  static RunFlags ofSelection() {
    return new RunFlags(
        Stream.concat(Options.ofSelection().stream(), Options.all().stream()).toList());
  }

  /** Adds a flag for each option, under the headings of their groups. */
  void addTo(CommandSpec command) {
    int order = 1;
    for (Option.Group group : Option.Group.values()) {
      if (options.stream().noneMatch(option -> option.group() == group)) {
        continue;
      }
      ArgGroupSpec.Builder heading =
          ArgGroupSpec.builder()
              .validate(false)
              .heading("%n" + group.heading() + "%n")
              .order(order++);
      for (Option option : options) {
        if (option.group() == group) {
          heading.addArg(flag(option));
          if (NEGATABLE.contains(option.name())) {
            heading.addArg(negation(option));
          }
        }
      }
      command.addArgGroup(heading.build());
    }
  }

  private OptionSpec flag(Option option) {
    String name = "--" + option.name();
    String[] names =
        SHORT.containsKey(option.name())
            ? new String[] {SHORT.get(option.name()), name}
            : new String[] {name};
    OptionSpec.Builder flag =
        OptionSpec.builder(names)
            .paramLabel(option.label())
            // A percent sign is a format to picocli.
            .description(option.description().replace("%", "%%"))
            .type(option.merged() ? String[].class : String.class)
            .required(false)
            .setter(new Given(option));
    if (option.alone().isPresent()) {
      flag.arity("0..1").fallbackValue(option.alone().get()).preprocessor(new AttachedOnly());
    } else {
      flag.arity("1");
    }
    return flag.build();
  }

  private OptionSpec negation(Option option) {
    return OptionSpec.builder("--" + NO + option.name())
        .description("Turn --%s off, as --%s=false does.".formatted(option.name(), option.name()))
        .type(Boolean.class)
        .arity("0")
        .required(false)
        .setter(
            new ISetter() {
              @Override
              @SuppressWarnings("TypeParameterUnusedInFormals") // picocli's own signature
              public <T> T set(T value) {
                if (Boolean.TRUE.equals(value)) {
                  var _ = new Given(option).set("false");
                }
                return value;
              }
            })
        .build();
  }

  /**
   * The option that a flag sets.
   *
   * @param flag without dashes before it: {@code memory}, {@code no-memory}
   */
  static Option option(String flag) {
    boolean isNegated = flag.startsWith(NO) && NEGATABLE.contains(flag.substring(NO.length()));
    return Options.named(isNegated ? flag.substring(NO.length()) : flag);
  }

  /** Keeps the words of an option; those that may be repeated add up. */
  private final class Given implements ISetter {

    private final Option option;

    Given(Option option) {
      this.option = option;
    }

    @Override
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // picocli's own signature
    public <T> T set(T value) {
      switch (value) {
        case null -> given.remove(option.name());
        case String[] words -> {
          // Each time it is repeated, picocli tells but the new words.
          for (String word : words) {
            given.merge(option.name(), word, option::add);
          }
        }
        default -> {
          String before = given.put(option.name(), value.toString());
          if (before != null && !before.equals(value.toString())) {
            repeated.add(
                "--%s is given twice, as '%s' and as '%s'; give it once, with commas where it takes several"
                    .formatted(option.name(), before, value));
          }
        }
      }
      return value;
    }
  }

  /**
   * What was given on the command line, laid over the environment, where an empty variable counts
   * as unset.
   *
   * @throws ConfigurationException if a word cannot be used
   */
  Settings settings(Map<String, String> environment) {
    if (!repeated.isEmpty()) {
      throw new ConfigurationException(repeated.getFirst());
    }
    Settings line = Settings.NONE;
    Settings variables = Settings.NONE;
    for (Option option : options) {
      String word = given.get(option.name());
      if (word != null) {
        line = line.with(option, word, SHORT.getOrDefault(option.name(), "--" + option.name()));
      }
      String variable = environment.getOrDefault(option.variable(), "");
      if (option.name().equals("log-level")) {
        variable = level(variable, environment.getOrDefault("LOG_LEVEL", ""));
      }
      if (!variable.isEmpty()) {
        variables = variables.with(option, variable, option.variable());
      }
    }
    Settings settings = line.orElse(variables);
    List<String> reducers = RunOptions.parse(settings).samples().reducers();
    var _ = settings.using("epochs-reducer", () -> reducers.stream().map(Reducer::parse).toList());
    return settings;
  }

  /**
   * @param shared the variable that many programs share: what only others understand says nothing
   */
  private static String level(String own, String shared) {
    if (!own.isEmpty()) {
      return own.toLowerCase(Locale.ROOT);
    }
    return switch (shared.toLowerCase(Locale.ROOT)) {
      case "trace", "debug", "all" -> "debug";
      case "http" -> "http";
      case "info" -> "info";
      default -> "";
    };
  }
}
