/** A task: dataset, solvers, scorer and options, read from YAML. */
@NullMarked
package dev.weir.eval.task;

import org.jspecify.annotations.NullMarked;
