/** JSON that is written by hand where there is much of it: samples and traces. */
@NullMarked
package dev.weir.log.json;

import org.jspecify.annotations.NullMarked;
