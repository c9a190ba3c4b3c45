package dev.weir.telemetry;

import dev.weir.limits.LimitKey;
import java.util.Comparator;

/** The labels of a model: all its accounts together. */
record ModelLabels(String engine, String model) implements Comparable<ModelLabels> {

  /** What names of models become when there are too many of them. */
  static final String OTHER = "other";

  private static final Comparator<ModelLabels> ORDER =
      Comparator.comparing(ModelLabels::engine).thenComparing(ModelLabels::model);

  static ModelLabels of(LimitKey key) {
    return new ModelLabels(key.engine(), key.model());
  }

  boolean isOther() {
    return model.equals(OTHER);
  }

  ModelLabels other() {
    return new ModelLabels(engine, OTHER);
  }

  @Override
  public int compareTo(ModelLabels that) {
    return ORDER.compare(this, that);
  }
}
