package dev.weir.eval.solver;

import dev.weir.eval.dataset.Dataset;
import dev.weir.eval.dataset.Sample;
import dev.weir.eval.sample.Outset;
import dev.weir.eval.sample.SampleState;
import dev.weir.eval.sandbox.SandboxSetup;
import dev.weir.eval.sandbox.SandboxSpec;
import dev.weir.eval.template.Template;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Printable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a task before its first call. Each step tells what it brings about and what it
 * needs of the steps before it and of the samples; what is missing is an error at once, not one
 * that is paid for. Not thread-safe.
 */
public final class Foresight {

  /** Kinds of samples that are remembered for a template; more are looked at again. */
  private static final int MOST_SHAPES = 10_000;

  private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** What templates call the text that was asked last. */
  private static final Set<String> PROMPT = Set.of("prompt", "question");

  private static final Pattern WORD = Pattern.compile("[A-Za-z_]\\w*");

  private final Optional<SandboxSpec> sandbox;
  private final ForeseenTools tools;
  private final Dataset dataset;
  private final LongSupplier nanos;
  private final long begun;
  private boolean answered;
  private boolean choicesShown;
  private boolean otherPrompt;
  private boolean isCut;

  /**
   * @param outset what tools will find
   * @param dataset the samples that are looked at; empty if only the steps are
   * @param nanos the clock: the time that templates may take is bounded
   */
  public Foresight(Outset outset, Dataset dataset, LongSupplier nanos) {
    this.sandbox = outset.sandbox();
    this.tools = new ForeseenTools(outset);
    this.dataset = dataset;
    this.nanos = nanos;
    this.begun = nanos.getAsLong();
  }

  /** What was not looked at, for people; empty if nothing was left out. */
  public Optional<String> leftOut() {
    return isCut
        ? Optional.of(
            "the templates were not tried on all samples, which would take more than %d s"
                .formatted(TimeUnit.NANOSECONDS.toSeconds(MOST_NANOS)))
        : Optional.empty();
  }

  /** Of a step of which nothing is known: it may ask, and show choices. */
  public void expectAnything() {
    expectAnswer();
    expectChoices();
    expectOtherPrompt();
    tools.expectAny();
  }

  /** The tools that it has at this step. */
  ForeseenTools tools() {
    return tools;
  }

  /** The model is asked here. */
  void expectAnswer() {
    answered = true;
    tools.expectUse();
  }

  /**
   * @throws ConfigurationException if no step asks the model
   */
  public void requireAsked() {
    if (!answered) {
      throw new ConfigurationException("no step asks the model anything; put generate at the end");
    }
  }

  /** Whether the model has tools that it was not asked with yet. */
  public boolean hasIdleTools() {
    return tools.areIdle();
  }

  /**
   * @throws ConfigurationException if the model is never asked with the tools that it has
   */
  public void requireToolsUsed() {
    if (tools.areIdle()) {
      throw new ConfigurationException(
          "these tools are of no use, since no step after this one asks the model; put it before"
              + " generate");
    }
  }

  /** The model is shown the choices of the sample here. */
  void expectChoices() {
    choicesShown = true;
  }

  /**
   * @throws ConfigurationException if the model is not asked before
   */
  void requireAnswer(String step) {
    if (!answered) {
      throw new ConfigurationException(
          "%s has no answer to work on; put generate before it".formatted(step));
    }
  }

  /**
   * @throws ConfigurationException if the model is not shown the choices it is judged by
   */
  public void requireChoicesShown(String scorer) {
    if (!choicesShown) {
      throw new ConfigurationException(
          "the scorer '%s' judges what was chosen, but no step shows the choices; put"
                  .formatted(scorer)
              + " multiple_choice in `solver`, or a template with {{ choices }}");
    }
  }

  /**
   * @throws ConfigurationException if a sample has fewer choices, or more
   */
  public void requireChoices(String step, int least, int most) {
    for (Sample sample : dataset.samples()) {
      int choices = sample.choices().size();
      if (choices < least || choices > most) {
        throw new ConfigurationException(
            choices == 0
                ? "%s needs choices, but sample %s has none; give it `choices`, or say with `fields` which column they are in"
                    .formatted(step, named(sample))
                : "%s needs from %d to %d choices, but sample %s has %d"
                    .formatted(step, least, most, named(sample), choices));
      }
    }
  }

  /**
   * @param problem why a target of a sample cannot be used, for people; empty if it can
   * @throws ConfigurationException if there is a sample whose target cannot be used
   */
  public void requireTargets(BiFunction<Sample, String, Optional<String>> problem) {
    for (Sample sample : dataset.samples()) {
      for (String target : sample.targets()) {
        Optional<String> found = problem.apply(sample, target);
        if (found.isPresent()) {
          throw new ConfigurationException(
              "%s: sample %s would fail; correct its target, or leave it out"
                  .formatted(found.get(), named(sample)));
        }
      }
    }
  }

  /**
   * @param task its name
   * @throws ConfigurationException if a sample has files or a script for a sandbox that the task
   *     does not have, or where it could not have them
   */
  public void requireSetups(String task) {
    for (Sample sample : dataset.samples()) {
      SandboxSetup setup = SandboxSetup.of(sample);
      if (setup.equals(SandboxSetup.NONE)) {
        continue;
      }
      Optional<String> problem =
          sandbox.isEmpty()
              ? Optional.of(
                  "for a sandbox, but the task has none; add `sandbox:` with docker:IMAGE,"
                      + " bubblewrap or local, or leave it out")
              : setup
                  .problem(sandbox.get())
                  .map(why -> "that cannot be put into its sandbox: " + why);
      if (problem.isPresent()) {
        throw new ConfigurationException(
            "%s: sample '%s' has `%s` %s"
                .formatted(
                    dataset.placeOf(sample).orElse("task " + task),
                    Printable.line(sample.id()),
                    setup.files().isEmpty() ? "setup" : "files",
                    problem.get()));
      }
    }
  }

  /** What was asked last is not what the sample asks from here on. */
  void expectOtherPrompt() {
    otherPrompt = true;
  }

  /** As {@link #requireFilled(Template, Function, Set)}, of what all templates know. */
  void requireFilled(Template template) {
    requireFilled(template, _ -> Map.of(), Set.of());
  }

  /**
   * @param more what else the step fills in
   * @param unknown what of it depends on answers, and so is not known yet
   * @throws ConfigurationException if the template names what a sample does not have, or cannot be
   *     filled in for a sample
   */
  void requireFilled(
      Template template, Function<SampleState, Map<String, ?>> more, Set<String> unknown) {
    Set<String> words = words(template);
    boolean rendered = template.needsEngine() && !dependsOn(words, unknown);
    Set<String> seen = new HashSet<>();
    Set<List<@Nullable Object>> tried = new HashSet<>();
    for (Sample sample : dataset.samples()) {
      // Beyond its time the engine looks at one of those alone that have the same names.
      boolean isRendered = rendered && isInTime();
      if (template.needsEngine() && !isRendered && !isNew(sample, seen)) {
        continue;
      }
      var state = new SampleState(sample, 1);
      Map<String, @Nullable Object> known = Prompts.variables(state);
      known.putAll(more.apply(state));
      unknown.forEach(name -> known.put(name, ""));
      if (isRendered) {
        // What is filled in alike needs no second look.
        List<@Nullable Object> values = new ArrayList<>();
        words.forEach(word -> values.add(known.get(word)));
        if (tried.size() < MOST_SHAPES ? tried.add(values) : !tried.contains(values)) {
          requireRendered(template, sample, known);
        }
      } else {
        requireNames(template, sample, known);
      }
    }
    if (template.toString().contains("choices")) {
      expectChoices();
    }
  }

  /** All that may be names of variables in it. */
  private static Set<String> words(Template template) {
    Set<String> words = new TreeSet<>();
    Matcher word = WORD.matcher(template.toString());
    while (word.find()) {
      words.add(word.group());
    }
    return words;
  }

  private boolean dependsOn(Set<String> words, Set<String> unknown) {
    Set<String> names = new HashSet<>(unknown);
    if (otherPrompt) {
      names.addAll(PROMPT);
    }
    return !Collections.disjoint(words, names);
  }

  private boolean isInTime() {
    isCut = isCut || nanos.getAsLong() - begun > MOST_NANOS;
    return !isCut;
  }

  private static boolean isNew(Sample sample, Set<String> seen) {
    return seen.size() < MOST_SHAPES ? seen.add(shape(sample)) : !seen.contains(shape(sample));
  }

  private void requireRendered(
      Template template, Sample sample, Map<String, @Nullable Object> known) {
    try {
      template.render(known);
    } catch (ConfigurationException wrong) {
      requireNames(template, sample, known);
      throw new ConfigurationException(
          "%s (sample %s)".formatted(wrong.getMessage(), named(sample)), wrong);
    }
  }

  private void requireNames(Template template, Sample sample, Map<String, @Nullable Object> known) {
    template
        .missing(known)
        .ifPresent(
            missing -> {
              throw new ConfigurationException(
                  "%s; sample %s does not have it (a column of the dataset is a variable if"
                          .formatted(missing.getMessage(), named(sample))
                      + " `fields` takes it for `metadata`)");
            });
  }

  /** The sample as people find it. */
  private String named(Sample sample) {
    return "'%s'%s"
        .formatted(
            Printable.line(sample.id()),
            dataset.placeOf(sample).map(place -> " (%s)".formatted(place)).orElse(""));
  }

  private static String shape(Sample sample) {
    return shape(sample.metadata()) + (sample.choices().isEmpty() ? "" : "+");
  }

  private static String shape(@Nullable Object value) {
    return switch (value) {
      case null -> "0";
      case Map<?, ?> map -> {
        var names = new StringBuilder("{");
        map.forEach(
            (name, member) -> names.append(name).append(':').append(shape(member)).append(','));
        yield names.append('}').toString();
      }
      case List<?> list -> list.isEmpty() ? "[]" : "[" + shape(list.getFirst()) + "]";
      default -> "1";
    };
  }
}
