/** Evaluations: {@link dev.weir.eval.Evaluation} loads a task, runs it and writes its result. */
@NullMarked
package dev.weir.eval;

import org.jspecify.annotations.NullMarked;
