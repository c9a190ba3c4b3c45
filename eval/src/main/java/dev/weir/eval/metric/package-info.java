/** What the scores of a sample, and of all samples, amount to. */
@NullMarked
package dev.weir.eval.metric;

import org.jspecify.annotations.NullMarked;
