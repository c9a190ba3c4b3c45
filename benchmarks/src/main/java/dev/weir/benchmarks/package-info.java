/** What {@code weir bench} measures: speed and memory, as ratios within one run where possible. */
@NullMarked
package dev.weir.benchmarks;

import org.jspecify.annotations.NullMarked;
