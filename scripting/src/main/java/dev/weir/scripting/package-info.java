/** JavaScript of configurations, run by Rhino: bounded, and without access to the machine. */
@NullMarked
package dev.weir.scripting;

import org.jspecify.annotations.NullMarked;
