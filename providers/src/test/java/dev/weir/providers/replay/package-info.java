/** A server that answers as it was told, to replay exchanges over a real connection. */
@NullMarked
package dev.weir.providers.replay;

import org.jspecify.annotations.NullMarked;
