package dev.weir.eval.dataset;

/** Where a row stands in its source, for people. */
@FunctionalInterface
public interface RowPlace {

  /** Of the whole row: {@code "line 7"}. */
  String words();

  /**
   * Of a value: {@code "line 7, column 12"}; of the row if it has no such column, or if that is all
   * that is known. Only asked for what is wrong.
   */
  default String of(String column) {
    return words();
  }
}
