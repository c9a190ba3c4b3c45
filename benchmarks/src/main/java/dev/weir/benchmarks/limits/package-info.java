/** How well the modes of {@code limits} use a provider: scenarios on a thread-free event loop. */
@NullMarked
package dev.weir.benchmarks.limits;

import org.jspecify.annotations.NullMarked;
