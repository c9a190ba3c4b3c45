/** What the log of a run costs. */
@NullMarked
package dev.weir.benchmarks.log;

import org.jspecify.annotations.NullMarked;
