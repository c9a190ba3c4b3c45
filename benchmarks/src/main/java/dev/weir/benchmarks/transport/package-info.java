/**
 * What the transport costs: rate, processor time, memory, and how soon a call can be cancelled,
 * against {@code weir simulate} in a process of its own.
 *
 * <pre>
 *   weir bench transport ──starts──> weir simulate        (one for each part)
 *            └─────────────starts──> weir bench transport (one part, in a JVM of its own) ──calls──┘
 * </pre>
 */
@NullMarked
package dev.weir.benchmarks.transport;

import org.jspecify.annotations.NullMarked;
