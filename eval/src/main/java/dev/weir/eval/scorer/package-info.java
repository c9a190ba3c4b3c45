/** How good an answer is, and what many scores amount to. */
@NullMarked
package dev.weir.eval.scorer;

import org.jspecify.annotations.NullMarked;
