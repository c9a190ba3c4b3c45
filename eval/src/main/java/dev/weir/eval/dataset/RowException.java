package dev.weir.eval.dataset;

import java.io.Serial;

/** A row is no sample; says why, not where. */
final class RowException extends Exception {

  @Serial private static final long serialVersionUID = 1;

  RowException(String problem) {
    super(problem);
  }
}
