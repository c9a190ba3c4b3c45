/** The batch APIs of all providers that have one, over real connections and in real processes. */
@NullMarked
package dev.weir.providers.batch;

import org.jspecify.annotations.NullMarked;
