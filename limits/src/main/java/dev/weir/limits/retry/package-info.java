/** The one place that decides whether a failed attempt is made again, and when. */
@NullMarked
package dev.weir.limits.retry;

import org.jspecify.annotations.NullMarked;
