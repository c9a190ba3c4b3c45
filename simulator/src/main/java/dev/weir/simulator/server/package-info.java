/**
 * The simulated provider as an HTTP server, for clients in any language.
 *
 * <p>{@link dev.weir.simulator.server.SimulatorServer} speaks the chat completions of OpenAI and
 * the messages of Anthropic, with the limits of {@link dev.weir.simulator.provider.ProviderModel}
 * on the real clock. {@link dev.weir.simulator.server.Profile} holds published tiers.
 */
@NullMarked
package dev.weir.simulator.server;

import org.jspecify.annotations.NullMarked;
