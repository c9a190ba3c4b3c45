/** Finds the best combination of models for the steps of a task, and runs what that takes. */
@NullMarked
package dev.weir.eval.select;

import org.jspecify.annotations.NullMarked;
