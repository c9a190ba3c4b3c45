/** How tasks name what they are made of: solvers, scorers, tools and metrics with arguments. */
@NullMarked
package dev.weir.eval.component;

import org.jspecify.annotations.NullMarked;
