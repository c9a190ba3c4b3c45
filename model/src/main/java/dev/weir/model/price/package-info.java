/** What calls cost in money, as far as that is known. */
@NullMarked
package dev.weir.model.price;

import org.jspecify.annotations.NullMarked;
