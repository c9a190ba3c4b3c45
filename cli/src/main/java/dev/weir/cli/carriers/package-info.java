/** How many cores the tasks of this process run on: beside time, not through it. */
@NullMarked
package dev.weir.cli.carriers;

import org.jspecify.annotations.NullMarked;
