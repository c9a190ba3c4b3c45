/** How well selectors do on score tables. */
@NullMarked
package dev.weir.benchmarks.selection;

import org.jspecify.annotations.NullMarked;
