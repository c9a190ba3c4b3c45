/** What runs learned about limits, kept in files for the next run. */
@NullMarked
package dev.weir.eval.memory;

import org.jspecify.annotations.NullMarked;
