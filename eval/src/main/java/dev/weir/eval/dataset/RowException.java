package dev.weir.eval.dataset;

import java.io.Serial;

/** A row is no sample; says why, and because of which column. */
final class RowException extends Exception {

  @Serial private static final long serialVersionUID = 1;

  private final String column;

  RowException(String column, String problem) {
    super(problem);
    this.column = column;
  }

  String column() {
    return column;
  }
}
