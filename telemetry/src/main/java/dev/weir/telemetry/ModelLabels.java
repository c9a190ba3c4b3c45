package dev.weir.telemetry;

import dev.weir.limits.LimitKey;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/** The labels of a model: all its accounts together. */
record ModelLabels(String engine, String model) implements Comparable<ModelLabels> {

  /** What names of models, or of engines, become when there are too many of them. */
  static final String OTHER = "other";

  private static final Comparator<ModelLabels> ORDER =
      Comparator.comparing(ModelLabels::engine).thenComparing(ModelLabels::model);

  static ModelLabels of(LimitKey key) {
    return new ModelLabels(key.engine(), key.model());
  }

  // Both part by part, and for each event: those of a record are slow until the better compiler has
  // seen them.

  @Override
  public boolean equals(@Nullable Object that) {
    return that instanceof ModelLabels labels
        && model.equals(labels.model)
        && engine.equals(labels.engine);
  }

  @Override
  public int hashCode() {
    return 31 * engine.hashCode() + model.hashCode();
  }

  boolean isOther() {
    return model.equals(OTHER);
  }

  @Override
  public int compareTo(ModelLabels that) {
    return ORDER.compare(this, that);
  }
}
