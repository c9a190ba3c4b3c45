/**
 * The decisions of mode {@code pace}: how fast, how many at once, and when to stop asking.
 *
 * <p>Everything here is a value or a plain object: not thread-safe, fed with numbers and a time,
 * with no clock, lock or log. {@link dev.weir.limits.pace.PaceController#decide} is the whole of it
 * as a function. A thread-safe shell owns the live form.
 */
@NullMarked
package dev.weir.limits.pace;

import org.jspecify.annotations.NullMarked;
