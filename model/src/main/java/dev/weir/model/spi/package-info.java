/** What a provider of models implements, and how it is found. */
@NullMarked
package dev.weir.model.spi;

import org.jspecify.annotations.NullMarked;
