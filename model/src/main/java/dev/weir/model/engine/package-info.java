/**
 * The limits of model engines, as a platform team configures them: where they stand, and when they
 * change.
 */
@NullMarked
package dev.weir.model.engine;

import org.jspecify.annotations.NullMarked;
