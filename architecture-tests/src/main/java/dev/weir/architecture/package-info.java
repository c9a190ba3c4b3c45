/** The rules of the architecture, and for each a fixture on which it fails. */
@NullMarked
package dev.weir.architecture;

import org.jspecify.annotations.NullMarked;
