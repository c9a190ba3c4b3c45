/** Samples, and the files they come from. */
@NullMarked
package dev.weir.eval.dataset;

import org.jspecify.annotations.NullMarked;
