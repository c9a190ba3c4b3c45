/** Runs the samples of a task against a model. */
@NullMarked
package dev.weir.eval.run;

import org.jspecify.annotations.NullMarked;
