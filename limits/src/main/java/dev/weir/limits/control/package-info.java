/**
 * Controllers of a window: outcomes and a time go in, how many requests may be in flight comes out.
 *
 * <p>They only decide. Whoever grants permits enforces the number, keeps the clock and guards the
 * controller, since none of them is thread-safe.
 */
@NullMarked
package dev.weir.limits.control;

import org.jspecify.annotations.NullMarked;
