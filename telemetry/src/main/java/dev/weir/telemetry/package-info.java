/**
 * What calls to models do and how full their limits are, as metrics.
 *
 * <p>A {@link dev.weir.telemetry.Telemetry} listens to the calls of models and to what happens to
 * limits. It serves nothing itself: an {@link dev.weir.telemetry.Exposition} is a page for
 * Prometheus, a {@link dev.weir.telemetry.Saturation} is for displays.
 */
@NullMarked
package dev.weir.telemetry;

import org.jspecify.annotations.NullMarked;
