package dev.weir.eval.solver;

import dev.weir.eval.dataset.Sample;
import dev.weir.eval.sample.SampleState;
import dev.weir.eval.sample.ToolSource;
import dev.weir.eval.template.Template;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Printable;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a task before its first call. Each step tells what it brings about and what it
 * needs of the steps before it and of the samples; what is missing is an error at once, not one
 * that is paid for. Not thread-safe.
 */
public final class Foresight {

  /** Kinds of samples that are remembered for a template; more are looked at again. */
  private static final int MOST_SHAPES = 10_000;

  private final boolean sandbox;
  private final List<Sample> samples;
  private boolean answered;
  private boolean choicesShown;

  /**
   * @param sandbox whether the task has one
   * @param samples those that are looked at; empty if only the steps are
   */
  public Foresight(boolean sandbox, List<Sample> samples) {
    this.sandbox = sandbox;
    this.samples = samples;
  }

  /** Of a step of which nothing is known: it may ask, and show choices. */
  public void expectAnything() {
    expectAnswer();
    expectChoices();
  }

  /** The model is asked here. */
  void expectAnswer() {
    answered = true;
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
    for (Sample sample : samples) {
      int choices = sample.choices().size();
      if (choices < least || choices > most) {
        throw new ConfigurationException(
            choices == 0
                ? "%s needs choices, but sample '%s' has none; give it `choices`, or say with `fields` which column they are in"
                    .formatted(step, Printable.line(sample.id()))
                : "%s needs from %d to %d choices, but sample '%s' has %d"
                    .formatted(step, least, most, Printable.line(sample.id()), choices));
      }
    }
  }

  /**
   * @throws ConfigurationException if a tool runs in a sandbox and the task has none
   */
  void requireSandboxFor(List<ToolSource> tools) {
    for (ToolSource tool : tools) {
      if (tool.sandboxedName().isPresent() && !sandbox) {
        throw new ConfigurationException(
            "the tool '%s' runs in a sandbox, but the task has none; add `sandbox:` with"
                    .formatted(tool.sandboxedName().get())
                + " docker:IMAGE, bubblewrap or local");
      }
    }
  }

  /**
   * @param more names of what else the step fills in
   * @throws ConfigurationException if the template names what a sample does not have
   */
  void requireFilled(Template template, Set<String> more) {
    Set<String> seen = new HashSet<>();
    for (Sample sample : samples) {
      // The engine takes its time: samples that have the same names are alike to it.
      if (template.needsEngine()
          && !(seen.size() < MOST_SHAPES
              ? seen.add(shape(sample))
              : !seen.contains(shape(sample)))) {
        continue;
      }
      Map<String, @Nullable Object> known = Prompts.variables(new SampleState(sample, 1));
      more.forEach(name -> known.put(name, ""));
      template
          .missing(known)
          .ifPresent(
              missing -> {
                throw new ConfigurationException(
                    "%s; sample '%s' does not have it (a column of the dataset is a variable if"
                            .formatted(missing.getMessage(), Printable.line(sample.id()))
                        + " `fields` takes it for `metadata`)");
              });
    }
    if (template.toString().contains("choices")) {
      expectChoices();
    }
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
