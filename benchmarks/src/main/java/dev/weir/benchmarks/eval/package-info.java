/**
 * What a sample of an evaluation costs: a real {@code weir eval}, started as users start it,
 * against {@code weir simulate}, each in a process of its own.
 */
@NullMarked
package dev.weir.benchmarks.eval;

import org.jspecify.annotations.NullMarked;
