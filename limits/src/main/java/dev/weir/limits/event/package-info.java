/** What happens to limits, as plain values: for logs, displays and metrics. */
@NullMarked
package dev.weir.limits.event;

import org.jspecify.annotations.NullMarked;
