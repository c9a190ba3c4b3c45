/** An embedding model that runs in the process and needs no network. */
@NullMarked
package dev.weir.embeddings;

import org.jspecify.annotations.NullMarked;
