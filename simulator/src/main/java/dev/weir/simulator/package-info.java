/** A simulated provider: latency, limits and right or wrong answers, without network or key. */
@NullMarked
package dev.weir.simulator;

import org.jspecify.annotations.NullMarked;
