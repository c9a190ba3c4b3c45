/**
 * Places where the programs of a sample run: what they may use, and that all of it ends.
 *
 * <p>{@link dev.weir.eval.sandbox.Sandboxes} opens them on this machine; another {@link
 * dev.weir.eval.sandbox.SandboxProvider} may stand in its place.
 */
@NullMarked
package dev.weir.eval.sandbox;

import org.jspecify.annotations.NullMarked;
