/**
 * What a permit costs, beside the limiters of others. They wait by themselves, not through {@code
 * dev.weir.time}, so this is the one place outside of it that starts threads and knows semaphores.
 */
@NullMarked
package dev.weir.benchmarks.permits;

import org.jspecify.annotations.NullMarked;
