package dev.weir.eval.solver;

import dev.weir.eval.sample.Outset;
import dev.weir.eval.sample.ToolSource;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Spelling;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;

/** The tools that a model has from step to step, as far as they are known. Not thread-safe. */
final class ForeseenTools {

  private final Outset outset;
  private List<String> names = List.of();
  // False if more may be there, of a server or of a step of which nothing is known.
  private boolean areAll = true;
  private boolean areIdle;

  ForeseenTools(Outset outset) {
    this.outset = outset;
  }

  /** A step of which nothing is known may offer any. */
  void expectAny() {
    names = List.of();
    areAll = false;
  }

  /** The model is asked, and may call them. */
  void expectUse() {
    areIdle = false;
  }

  /** Whether it has not been asked since it got them. */
  boolean areIdle() {
    return areIdle;
  }

  /**
   * The model has these from here on.
   *
   * @param append whether those before stay
   */
  void offer(List<ToolSource> sources, boolean append) {
    List<String> all = new ArrayList<>(append ? names : List.of());
    boolean isKnown = !append || areAll;
    for (ToolSource source : sources) {
      List<String> own = foreseen(source);
      all.addAll(own);
      isKnown &= !own.isEmpty();
    }
    ToolList.requireDistinct(all);
    names = all;
    areAll = isKnown;
    areIdle |= !sources.isEmpty();
  }

  /** An agent has these, and those that are there already; steps after it do not. */
  void offerAgent(List<ToolSource> sources, Optional<String> submit) {
    List<String> before = names;
    boolean wereAll = areAll;
    offer(sources, true);
    submit.filter(names::contains).ifPresent(ForeseenTools::refuse);
    names = before;
    areAll = wereAll;
  }

  private static void refuse(String submit) {
    throw new ConfigurationException(
        "a tool is called '%s', as the one is that submits the answer; give that one another name with `submit_name`"
            .formatted(submit));
  }

  /**
   * @throws ConfigurationException if there is no such tool
   */
  void require(String name) {
    if (areAll && !names.contains(name)) {
      throw new ConfigurationException(
          "the model must call '%s', which is no tool of this step%s"
              .formatted(name, Spelling.hint(name, names)));
    }
  }

  private List<String> foreseen(ToolSource source) {
    try {
      return source.foresee(outset);
    } catch (InterruptedException cancelled) {
      throw new CancellationException("cancelled while the tools were looked at");
    }
  }
}
