/** The {@code weir} command: options in, text out; the work is done by the modules below. */
@NullMarked
package dev.weir.cli;

import org.jspecify.annotations.NullMarked;
