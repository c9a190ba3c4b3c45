/** The example of the library's README, as a user would write it. */
@NullMarked
package dev.weir.limits.example;

import org.jspecify.annotations.NullMarked;
