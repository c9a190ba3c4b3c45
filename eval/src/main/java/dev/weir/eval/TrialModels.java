package dev.weir.eval;

import dev.weir.eval.option.RunOptions;
import dev.weir.eval.option.Settings;
import dev.weir.limits.Demand;
import dev.weir.limits.Lane;
import dev.weir.limits.OutageBounds;
import dev.weir.limits.Waiting;
import dev.weir.limits.event.Constraint;
import dev.weir.limits.pace.Cost;
import dev.weir.model.ConfigurationException;
import dev.weir.model.ModelName;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** The models that trials can be run with: candidates of nodes, and those of fixed roles. */
final class TrialModels {

  /** What all calls wait for, whatever model they are for. */
  private static final Set<Constraint> OF_ALL =
      EnumSet.of(Constraint.MAX_CONCURRENCY, Constraint.DELAY, Constraint.PAUSE);

  /** An unreachable candidate must not delay the others. */
  private static final Duration LONGEST_OUTAGE = Duration.ofMinutes(3);

  private static final Demand ONE = Demand.of("", Cost.ONE_REQUEST);

  private final Models models;
  private final String task;
  private final Path logDir;
  private final RunOptions options;
  // By role, then by the word of the model.
  private final Map<String, Map<String, Models.OpenModel>> candidates = new LinkedHashMap<>();
  private final Map<String, Models.OpenModel> fixedRoles;
  private final Optional<Models.OpenModel> fixedModel;

  /** What a trial is run with. */
  record Chosen(Models.OpenModel evaluated, Map<String, Models.OpenModel> roles) {}

  TrialModels(
      Models models,
      String task,
      Path logDir,
      Settings settings,
      RunOptions options,
      Map<String, List<String>> nodes,
      Map<String, String> places) {
    this.models = models;
    this.task = task;
    this.logDir = logDir;
    this.options = options;
    // Before the roles: a model that is both goes by the rates that are given.
    nodes.forEach(
        (role, words) -> {
          try {
            candidates.put(role, opened(role, words));
          } catch (ConfigurationException wrong) {
            throw new ConfigurationException(
                Trials.place(places, role) + wrong.getMessage(), wrong);
          }
        });
    this.fixedRoles = settings.using("model-role", () -> models.roles(options));
    this.fixedModel =
        nodes.keySet().stream().anyMatch(Trials.EVALUATED::contains)
            ? Optional.empty()
            : Optional.of(settings.using("model", this::evaluated));
    boundOutages();
  }

  /** Without one that is not chosen nothing could go on, so that is waited for. */
  private void boundOutages() {
    Optional<Duration> given = options.limits().maxOutage();
    var bounds =
        new OutageBounds(
            options.limits().outageBounds(true).unreached(),
            given.or(() -> Optional.of(LONGEST_OUTAGE)).filter(Duration::isPositive));
    Set<Lane> fixed = new HashSet<>();
    fixedRoles.values().forEach(model -> fixed.add(model.lane()));
    fixedModel.ifPresent(model -> fixed.add(model.lane()));
    candidates.values().stream()
        .flatMap(words -> words.values().stream())
        .map(Models.OpenModel::lane)
        .filter(lane -> !fixed.contains(lane))
        .forEach(lane -> lane.boundOutage(bounds));
  }

  /** Candidates take the rates that are given; roles that are fixed do not, as ever. */
  private Map<String, Models.OpenModel> opened(String role, Collection<String> words) {
    Map<String, Models.OpenModel> opened = new LinkedHashMap<>();
    Map<List<Object>, String> spellings = new HashMap<>();
    for (String word : words) {
      boolean isPlain = Trials.EVALUATED.contains(role) && !word.startsWith("{");
      String before = spellings.put(asked(role, word, isPlain), word);
      if (before != null) {
        throw new ConfigurationException(
            "the node '%s' names one model twice: %s and %s are the same"
                .formatted(role, before, word));
      }
      opened.put(
          word,
          isPlain
              ? models.evaluated(ModelName.parse(word), task, logDir, options)
              : models.role(role, word, options.limits()));
    }
    return opened;
  }

  /** What makes two candidates the same. */
  private List<Object> asked(String role, String word, boolean isPlain) {
    RoleModel given =
        isPlain
            ? new RoleModel(
                ModelName.parse(word), options.modelArguments(), options.models().modelBaseUrl())
            : RoleModel.parse(role, word);
    return List.of(
        ModelSpelling.of(given.name()), ModelSpelling.values(given.arguments()), given.baseUrl());
  }

  private Models.OpenModel evaluated() {
    if (options.model().size() != 1) {
      throw new ConfigurationException(
          "%s: %s; add a node `model` with its candidates, or give one with --model"
              .formatted(
                  task,
                  options.model().isEmpty()
                      ? "no node is the evaluated model, and none is given"
                      : "no node is the evaluated model, and several are given"));
    }
    return models.evaluated(ModelName.parse(options.model().getFirst()), task, logDir, options);
  }

  /**
   * @param otherwise by option, what cannot be done if nobody knows what a model costs
   */
  void requirePrices(Settings settings, Map<String, String> otherwise) {
    List<ModelName> names = all().stream().map(Models.OpenModel::name).toList();
    otherwise.forEach(
        (option, what) ->
            settings.using(
                option,
                () -> {
                  models.requirePrices(names, what);
                  return names;
                }));
    models.requirePrices(names, options);
  }

  private List<Models.OpenModel> all() {
    List<Models.OpenModel> all = new ArrayList<>();
    candidates.values().forEach(words -> all.addAll(words.values()));
    all.addAll(fixedRoles.values());
    fixedModel.ifPresent(all::add);
    return all;
  }

  /**
   * @param words a model for each of the nodes
   */
  Chosen choose(Map<String, String> words) {
    Map<String, Models.OpenModel> roles = new LinkedHashMap<>(fixedRoles);
    Optional<Models.OpenModel> evaluated = fixedModel;
    for (Map.Entry<String, String> node : words.entrySet()) {
      Models.OpenModel model = candidate(node.getKey(), node.getValue());
      if (Trials.EVALUATED.contains(node.getKey())) {
        evaluated = Optional.of(model);
      } else {
        roles.put(node.getKey(), model);
      }
    }
    return new Chosen(evaluated.orElseThrow(), roles);
  }

  /** Where a candidate is asked; empty if there is but one place. */
  String endpoint(String role, String word) {
    return candidate(role, word).endpoint();
  }

  /** Where the models are asked that are not chosen, by role. */
  Map<String, String> fixedEndpoints() {
    Map<String, String> endpoints = new TreeMap<>();
    fixedRoles.forEach((role, model) -> endpoints.put(role, model.endpoint()));
    fixedModel.ifPresent(model -> endpoints.put(Trials.EVALUATED.getFirst(), model.endpoint()));
    return endpoints;
  }

  /** The evaluated model as it is written; empty if that is chosen. */
  String fixedModel() {
    return fixedModel.isPresent() ? options.model().getFirst() : "";
  }

  private Models.OpenModel candidate(String role, String word) {
    Models.OpenModel model = candidates.getOrDefault(role, Map.of()).get(word);
    if (model == null) {
      throw new IllegalArgumentException("no candidate of %s: %s".formatted(role, word));
    }
    return model;
  }

  /** Whether none of the chosen models would make a call wait for limits of its own. */
  boolean hasRoom(Map<String, String> words) {
    Chosen chosen = choose(words);
    return isFree(chosen.evaluated()) && chosen.roles().values().stream().allMatch(this::isFree);
  }

  private boolean isFree(Models.OpenModel model) {
    Lane lane = model.lane();
    return isOfAll(lane.status().waiting() == 0 ? lane.waitingFor(ONE) : lane.waitingFor());
  }

  /** How many calls wait for limits of their own model, and not for those of all together. */
  int held() {
    Set<Lane> lanes = new LinkedHashSet<>();
    all().forEach(model -> lanes.add(model.lane()));
    return lanes.stream()
        .filter(lane -> !isOfAll(lane.waitingFor()))
        .map(Lane::status)
        .mapToInt(status -> status.waiting() + status.backingOff())
        .sum();
  }

  private static boolean isOfAll(Waiting waiting) {
    return waiting.constraint() == Constraint.NOTHING || OF_ALL.contains(waiting.constraint());
  }
}
