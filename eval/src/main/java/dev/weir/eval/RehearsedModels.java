package dev.weir.eval;

import dev.weir.model.Adapter;
import dev.weir.model.ModelName;

/**
 * Models that an evaluation is rehearsed with: nobody is called, nothing is written, and tools are
 * not run. Thread-safe.
 */
@FunctionalInterface
public interface RehearsedModels {

  /** A model in place of the one of that name. */
  Adapter open(ModelName name);
}
