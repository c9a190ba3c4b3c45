/**
 * Benchmarks over real HTTP, with a client of the JDK's that waits by itself: only what is around
 * it goes through {@code dev.weir.time}.
 */
@NullMarked
package dev.weir.benchmarks.http;

import org.jspecify.annotations.NullMarked;
