/**
 * Regulates the flow of calls: {@link dev.weir.limits.Lane} owns queue, permit, attempt and retry.
 */
@NullMarked
package dev.weir.limits;

import org.jspecify.annotations.NullMarked;
