/** Evaluations that run are looked at and changed from other processes of the same user. */
@NullMarked
package dev.weir.cli.control;

import org.jspecify.annotations.NullMarked;
