package dev.weir.eval.scorer;

/** Where in an output something is looked for. */
enum Location {
  BEGIN,
  END,
  ANY,
  /** The output is it, and nothing else. */
  EXACT
}
