/** The provider {@code mock}: scripted replies, for trying tasks out without any server. */
@NullMarked
package dev.weir.providers.mock;

import org.jspecify.annotations.NullMarked;
