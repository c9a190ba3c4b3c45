/** Anthropic's Messages API. */
@NullMarked
package dev.weir.providers.anthropic;

import org.jspecify.annotations.NullMarked;
