/** A sample while it is worked on: what solvers, tools and scorers see of it, and may do. */
@NullMarked
package dev.weir.eval.sample;

import org.jspecify.annotations.NullMarked;
