/**
 * The seam for time: reading a clock, waiting, and starting work.
 *
 * <p>Everything in Weir that waits takes a {@link dev.weir.time.Time} in its constructor, so the
 * same blocking code runs in earnest ({@link dev.weir.time.Time#system()}) and in simulated hours
 * that take seconds ({@link dev.weir.time.virtual.VirtualTime}).
 */
@NullMarked
package dev.weir.time;

import org.jspecify.annotations.NullMarked;
