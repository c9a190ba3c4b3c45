/**
 * The decisions of mode {@code pace}: how fast, how many at once, and when to stop asking.
 *
 * <p>Everything here is a plain object: not thread-safe, fed with numbers and a time in seconds,
 * with no clock, lock, log or randomness of its own. A thread-safe shell owns it.
 */
@NullMarked
package dev.weir.limits.pace;

import org.jspecify.annotations.NullMarked;
