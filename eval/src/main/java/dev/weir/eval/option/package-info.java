/** The options of a run: their names, where they were given, and what they mean together. */
@NullMarked
package dev.weir.eval.option;

import org.jspecify.annotations.NullMarked;
