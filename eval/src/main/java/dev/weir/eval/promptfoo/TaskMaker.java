package dev.weir.eval.promptfoo;

import dev.weir.eval.dataset.Dataset;
import dev.weir.eval.dataset.Sample;
import dev.weir.eval.option.Options;
import dev.weir.eval.option.RunOptions;
import dev.weir.eval.option.Settings;
import dev.weir.eval.sandbox.SandboxSpec;
import dev.weir.eval.scorer.NoScoreException;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Printable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Makes tasks of providers, prompts and tests. Not thread-safe. */
final class TaskMaker {

  private final String name;
  private final Settings common;
  private final Map<String, Object> roles;
  private final boolean usesPython;
  private final Templates promptTemplates;
  private final Problems problems;

  /**
   * @param name of the whole configuration
   * @param common settings of all tasks
   * @param roles models that judge
   * @param promptTemplates for prompts; what tests say is data
   */
  TaskMaker(
      String name,
      Settings common,
      Map<String, Object> roles,
      boolean usesPython,
      Templates promptTemplates,
      Problems problems) {
    this.name = name;
    this.common = common;
    this.roles = roles;
    this.usesPython = usesPython;
    this.promptTemplates = promptTemplates;
    this.problems = problems;
  }

  List<TaskDefinition> make(List<Target> targets, List<Prompt> prompts, List<TestCase> tests) {
    List<Column> columns = new ArrayList<>();
    for (Prompt prompt : prompts) {
      for (Target target : targets) {
        if (target.prompts().isEmpty() || target.prompts().stream().anyMatch(prompt::isMeantBy)) {
          columns.add(new Column(target, prompt, Templates.WITHOUT_ENVIRONMENT));
        }
      }
    }
    if (columns.isEmpty()) {
      return List.of();
    }
    boolean promptsDiffer = prompts.size() > 1;
    return tests.stream().anyMatch(test -> !test.comparisons().isEmpty())
        ? compared(columns, prompts, tests, promptsDiffer)
        : apart(columns, prompts, tests, promptsDiffer);
  }

  /** A task for each column. */
  private List<TaskDefinition> apart(
      List<Column> columns, List<Prompt> prompts, List<TestCase> tests, boolean promptsDiffer) {
    List<TaskDefinition> tasks = new ArrayList<>();
    for (Prompt prompt : prompts) {
      Map<String, Filled> filled = fill(prompt, tests, columns);
      for (Column column : columns) {
        if (!column.prompt().equals(prompt)) {
          continue;
        }
        List<Sample> samples = new ArrayList<>();
        Map<String, TestCase> byId = new LinkedHashMap<>();
        filled.forEach(
            (id, one) -> {
              if (one.test().isFor(column.target())) {
                samples.add(one.sample());
                byId.put(id, one.test());
              }
            });
        if (!samples.isEmpty()) {
          var task = new ColumnTask(column, byId);
          tasks.add(
              definition(column.name(promptsDiffer), samples, column.target(), roles)
                  .solver(task)
                  .scorer(ColumnTask.PASS, task.pass())
                  .scorer(ColumnTask.SCORE, task.score())
                  .build());
        }
      }
    }
    return tasks;
  }

  /** One task of all columns, each with scores of its own. */
  private List<TaskDefinition> compared(
      List<Column> columns, List<Prompt> prompts, List<TestCase> tests, boolean promptsDiffer) {
    for (TestCase test : tests) {
      if (!test.providers().isEmpty()
          || !test.prompts().isEmpty()
          || test.providerOutput().isPresent()) {
        problems.unsupported(
            test.place(),
            "`providers`, `prompts` or `providerOutput` of a test beside select-best",
            "put them into a configuration of their own");
      }
    }
    Map<Prompt, Map<String, Filled>> filled = new LinkedHashMap<>();
    prompts.forEach(prompt -> filled.put(prompt, fill(prompt, tests, columns)));
    if (!problems.isEmpty()) {
      return List.of();
    }
    Map<String, TestCase> byId = new LinkedHashMap<>();
    Map<String, List<Prompt.Filled>> asked = new LinkedHashMap<>();
    List<Sample> samples = new ArrayList<>();
    Map<String, Filled> first = of(filled, columns.getFirst().prompt());
    first.forEach(
        (id, one) -> {
          byId.put(id, one.test());
          samples.add(one.sample());
          List<Prompt.Filled> each = new ArrayList<>();
          for (Column column : columns) {
            each.add(of(of(filled, column.prompt()), id).prompt());
          }
          asked.put(id, each);
        });
    Target evaluated = columns.getFirst().target();
    Map<String, Object> all = new LinkedHashMap<>(roles);
    Set<Target> others = new LinkedHashSet<>();
    columns.forEach(column -> others.add(column.target()));
    others.remove(evaluated);
    others.forEach(other -> all.put(ComparisonTask.role(other), other.role()));
    var task = new ComparisonTask(columns, byId, asked);
    TaskDefinition.Builder definition =
        definition("all providers", samples, evaluated, all).solver(task);
    for (int i = 0; i < columns.size(); i++) {
      definition.scorer(columns.get(i).name(promptsDiffer), task.pass(i));
    }
    return List.of(definition.build());
  }

  private static <K, V> V of(Map<K, V> map, K key) {
    return java.util.Objects.requireNonNull(map.get(key));
  }

  private TaskDefinition.Builder definition(
      String column, List<Sample> samples, Target target, Map<String, Object> played) {
    Settings settings = common.orElse(target.settings());
    if (!played.isEmpty()) {
      settings =
          settings.with(
              Options.named("model-role"),
              Json.write(played),
              "the providers that judge, in " + target.place().file());
    }
    try {
      RunOptions.parse(settings);
    } catch (ConfigurationException wrong) {
      problems.add(String.valueOf(wrong.getMessage()));
      settings = Settings.NONE;
    }
    TaskDefinition.Builder definition =
        TaskDefinition.named(Printable.line("%s: %s".formatted(name, column)))
            .dataset(new Dataset(samples))
            .settings(settings);
    return usesPython ? definition.sandbox(SandboxSpec.local()) : definition;
  }

  /** A test with its prompt. */
  private record Filled(TestCase test, Prompt.Filled prompt, Sample sample) {}

  /** The tests of a prompt by their ids. */
  private Map<String, Filled> fill(Prompt prompt, List<TestCase> tests, List<Column> columns) {
    Map<String, Filled> filled = new LinkedHashMap<>();
    String transforms = transforms(columns);
    if (prompt.raw().contains("_conversation")) {
      problems.unsupported(
          prompt.place(), "the variable _conversation", "write the conversation as messages");
      return filled;
    }
    for (TestCase given : tests) {
      if (!given.isFor(prompt)) {
        continue;
      }
      try {
        TestCase test = transformed(given, prompt);
        Prompt.Filled asked =
            prompt.fill(
                promptTemplates,
                test.vars(),
                ofData(test.options().prefix(), test),
                ofData(test.options().suffix(), test));
        String id = String.valueOf(test.number());
        filled.put(id, new Filled(test, asked, sample(id, test, asked, transforms)));
      } catch (ConfigurationException | NoScoreException unusable) {
        problems.add(
            prompt.place(),
            "with the test at %s: %s".formatted(given.place(), unusable.getMessage()));
      }
    }
    return filled;
  }

  @SuppressWarnings("unchecked") // JSON objects have text keys
  private static TestCase transformed(TestCase test, Prompt prompt) {
    Optional<Transform> transform = test.options().transformVars();
    if (transform.isEmpty()) {
      return test;
    }
    Object changed =
        transform
            .get()
            .apply(
                test.vars(),
                Map.of("prompt", Map.of("raw", prompt.raw(), "label", prompt.label())));
    if (!(changed instanceof Map<?, ?> map)) {
      throw new NoScoreException(
          "%s: `transformVars` must return an object".formatted(transform.get().place()));
    }
    Map<String, @Nullable Object> vars = new LinkedHashMap<>(test.vars());
    vars.putAll((Map<String, @Nullable Object>) map);
    return test.with(vars);
  }

  private static String ofData(String template, TestCase test) {
    return Templates.WITHOUT_ENVIRONMENT.render(template, test.vars());
  }

  /** What the providers themselves do to answers. */
  private static String transforms(List<Column> columns) {
    return columns.stream()
        .flatMap(column -> column.target().transform().stream())
        .map(transform -> "-" + transform.fingerprint())
        .distinct()
        .collect(Collectors.joining());
  }

  /** Its metadata tell how it is judged: judged otherwise, it is another sample. */
  private static Sample sample(String id, TestCase test, Prompt.Filled prompt, String transforms) {
    Map<String, @Nullable Object> metadata = new LinkedHashMap<>(test.metadata());
    test.description().ifPresent(text -> metadata.put("description", text));
    metadata.put("vars", test.vars());
    metadata.put("judging", test.judging() + transforms);
    List<String> targets = new ArrayList<>();
    for (Assertion assertion : test.assertions()) {
      assertion.expected().map(text -> ofData(text, test)).ifPresent(targets::add);
    }
    return new Sample(
        id,
        prompt.text(),
        prompt.messages(),
        targets,
        List.of(),
        metadata,
        Map.of(),
        Optional.empty());
  }
}
