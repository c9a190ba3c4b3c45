/**
 * A model of a provider's limits for measuring clients against the optimum.
 *
 * <p>Nothing here waits, starts a thread or reads a clock: {@link
 * dev.weir.simulator.provider.ProviderModel} is fed with times, and {@link
 * dev.weir.simulator.provider.EventLoop} makes them.
 */
@NullMarked
package dev.weir.simulator.provider;

import org.jspecify.annotations.NullMarked;
