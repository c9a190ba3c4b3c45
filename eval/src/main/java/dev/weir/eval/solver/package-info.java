/** What is done with a sample to get an answer out of a model. */
@NullMarked
package dev.weir.eval.solver;

import org.jspecify.annotations.NullMarked;
