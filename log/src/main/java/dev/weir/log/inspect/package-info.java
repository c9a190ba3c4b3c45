/**
 * Log files of Inspect, read and written at the level of members and JSON: {@code .eval} (a zip)
 * and {@code .json}. Nothing here knows the records of Weir.
 */
@NullMarked
package dev.weir.log.inspect;

import org.jspecify.annotations.NullMarked;
