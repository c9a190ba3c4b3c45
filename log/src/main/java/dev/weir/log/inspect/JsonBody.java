package dev.weir.log.inspect;

import java.io.IOException;
import java.io.Writer;

/** Writes JSON that need not be held in memory. */
@FunctionalInterface
public interface JsonBody {

  /**
   * Writes one JSON value.
   *
   * @param out becomes UTF-8; half characters within strings are written as escapes
   */
  void writeTo(Writer out) throws IOException;
}
