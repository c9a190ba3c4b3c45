/** Virtual time: a deterministic discrete-event scheduler for ordinary blocking code. */
@NullMarked
package dev.weir.time.virtual;

import org.jspecify.annotations.NullMarked;
