/** Answers kept on disk, by key: knows nothing of what a question or an answer is. */
@NullMarked
package dev.weir.model.cache;

import org.jspecify.annotations.NullMarked;
