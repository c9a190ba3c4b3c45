/** What happened call by call: written while a run goes on, read by {@code weir trace}. */
@NullMarked
package dev.weir.log.trace;

import org.jspecify.annotations.NullMarked;
