/** Counting tokens before a provider does; knows nothing of requests. */
@NullMarked
package dev.weir.model.tokens;

import org.jspecify.annotations.NullMarked;
