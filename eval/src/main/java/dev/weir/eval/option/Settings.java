package dev.weir.eval.option;

import dev.weir.model.ConfigurationException;
import dev.weir.model.ModelName;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import tools.jackson.databind.json.JsonMapper;

/**
 * What was given for options, word by word, with where each word stands. Several sources are laid
 * over each other: the command line over the environment, that over the task. Immutable.
 */
public final class Settings implements OptionWords, OptionMethods<Settings> {

  /** What is said of options that a program gives. */
  private static final String PROGRAM = "the option ";

  public static final Settings NONE = new Settings(Map.of());

  private static final JsonMapper JSON = new JsonMapper();

  private final Map<String, Setting> given;
  // Words that hold only until a source above gives another option, by their own.
  private final Map<String, String> standIns;
  private final List<Replaced> replaced;

  private Settings(Map<String, Setting> given) {
    this(given, Map.of(), List.of());
  }

  private Settings(
      Map<String, Setting> given, Map<String, String> standIns, List<Replaced> replaced) {
    this.given = given;
    this.standIns = standIns;
    this.replaced = replaced;
  }

  /**
   * A word, and where it stands.
   *
   * @param origin for people: {@code --rpm}, {@code WEIR_RPM}, {@code task.yaml, line 3, column 6}
   */
  public record Setting(String word, String origin) {}

  /**
   * A setting of a lower source that does not apply.
   *
   * @param reason why not, for people: what replaces it
   */
  public record Replaced(Option option, Setting setting, String reason) {

    @Override
    public String toString() {
      return "%s (%s) does not apply, because %s"
          .formatted(setting.word(), setting.origin(), reason);
    }
  }

  /**
   * What lower sources said and does not apply, because a source above chooses another mode of
   * regulation.
   */
  public List<Replaced> replaced() {
    return replaced;
  }

  /** These settings, and one more, which wins. */
  public Settings with(Option option, String word, String origin) {
    Map<String, Setting> more = new LinkedHashMap<>(given);
    more.put(option.name(), new Setting(word, origin));
    return new Settings(more, standIns, replaced);
  }

  /**
   * These settings, and a default that stands in for another option: it does not hold where a
   * source above gives that one.
   */
  public Settings withStandIn(Option option, String word, String origin, String insteadOf) {
    Map<String, String> more = new LinkedHashMap<>(standIns);
    more.put(option.name(), insteadOf);
    return new Settings(with(option, word, origin).given, more, replaced);
  }

  /** These settings, but for one. */
  public Settings without(String option) {
    Map<String, Setting> fewer = new LinkedHashMap<>(given);
    fewer.remove(option);
    return new Settings(fewer, standIns, replaced);
  }

  /** These settings, and one more that a program gives by its name in any spelling. */
  public Settings with(String name, Object value) {
    return option(name, value);
  }

  @Override
  public Settings option(String name, Object value) {
    Option option = Options.named(name);
    Settings more = with(option, written(value), PROGRAM + option.key());
    RunOptions.parse(more);
    return more;
  }

  /** As it would be written elsewhere. */
  private static String written(Object value) {
    return switch (value) {
      case Duration duration ->
          BigDecimal.valueOf(duration.toNanos(), 9).stripTrailingZeros().toPlainString() + "s";
      case Map<?, ?> pairs -> JSON.writeValueAsString(pairs);
      case List<?> items -> JSON.writeValueAsString(items);
      default -> value.toString();
    };
  }

  /**
   * These settings, and where they say nothing, the others; pairs are merged key by key. Arguments
   * that the others have beside models of their own are for those: models of other providers that
   * take their place would refuse them. Options that contradict the mode of regulation that these
   * settings choose are left out, and stand in {@link #replaced}.
   */
  public Settings orElse(Settings others) {
    Map<String, Setting> merged = new LinkedHashMap<>(others.given);
    List<Replaced> left = new ArrayList<>(replaced);
    left.addAll(others.replaced);
    ModeConflicts.of(this, others).ifPresent(conflicts -> left.addAll(dropped(conflicts, merged)));
    others.standIns.forEach(
        (option, insteadOf) -> {
          if (given.containsKey(insteadOf)) {
            merged.remove(option);
          }
        });
    Set<String> mine = providers();
    Set<String> theirs = others.providers();
    if (!mine.isEmpty() && !theirs.isEmpty() && Collections.disjoint(mine, theirs)) {
      merged.remove("model-args");
    }
    given.forEach(
        (name, setting) ->
            merged.merge(
                name,
                setting,
                (below, above) ->
                    Options.named(name).merged()
                        ? new Setting(
                            Pairs.merge(above.word(), below.word()),
                            above.origin() + ", " + below.origin())
                        : above));
    Map<String, String> mergedStandIns = new LinkedHashMap<>(others.standIns);
    mergedStandIns.keySet().removeAll(given.keySet());
    mergedStandIns.putAll(standIns);
    return new Settings(merged, mergedStandIns, List.copyOf(left));
  }

  /** Removes what a choice of mode replaces. */
  private List<Replaced> dropped(ModeConflicts conflicts, Map<String, Setting> merged) {
    String reason =
        "%s chooses mode %s".formatted(given(conflicts.by()).origin(), conflicts.chosen());
    List<Replaced> dropped = new ArrayList<>();
    for (String name : conflicts.replaced()) {
      Setting setting = merged.get(name);
      // A fixed window wins over mode aimd, wherever it stands.
      if (setting != null && !setting.word().equals("false")) {
        merged.remove(name);
        dropped.add(new Replaced(Options.named(name), setting, reason));
      }
    }
    return dropped;
  }

  /** Of the models to evaluate, if any are given. */
  private Set<String> providers() {
    return word("model").flatMap(RunOptions::names).orElse(List.of()).stream()
        .map(name -> ModelName.parse(name).provider())
        .collect(Collectors.toUnmodifiableSet());
  }

  /**
   * Makes something of what an option says. A problem is told with where that stands, unless it is
   * on the command line, which people have before their eyes.
   *
   * @throws ConfigurationException that problem
   */
  public <T> T using(String option, Supplier<T> use) {
    try {
      return use.get();
    } catch (ConfigurationException wrong) {
      throw at(option, wrong);
    }
  }

  /** The same problem with where an option stands that is the cause of it. */
  public ConfigurationException at(String option, ConfigurationException wrong) {
    String origin = given(option).origin();
    return word(option).isEmpty() || origin.startsWith("-") || origin.startsWith(PROGRAM)
        ? wrong
        : new ConfigurationException("%s: %s".formatted(origin, wrong.getMessage()), wrong);
  }

  /** What was given for an option, if anything. */
  public Optional<Setting> setting(Option option) {
    return Optional.ofNullable(given.get(option.name()));
  }

  @Override
  public Optional<String> word(String option) {
    return Optional.ofNullable(given.get(option)).map(Setting::word);
  }

  @Override
  public ConfigurationException wrong(String option, String rule) {
    String origin = word(option).isPresent() ? given(option).origin() : "`" + option + "`";
    return new ConfigurationException(origin + " " + rule);
  }

  private Setting given(String option) {
    Setting setting = given.get(option);
    return setting == null ? new Setting("", option) : setting;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Settings settings && settings.given.equals(given);
  }

  @Override
  public int hashCode() {
    return given.hashCode();
  }

  /** Words may hold credentials. */
  @Override
  public String toString() {
    return "Settings" + given.keySet();
  }
}
