/** What differs between finished runs of the same samples. */
@NullMarked
package dev.weir.eval.compare;

import org.jspecify.annotations.NullMarked;
