/** Pages in a real browser. */
@NullMarked
package dev.weir.browser;

import org.jspecify.annotations.NullMarked;
