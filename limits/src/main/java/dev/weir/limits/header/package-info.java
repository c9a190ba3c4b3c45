/**
 * What a provider's response says about its quotas and about waiting: one parser for the headers of
 * all providers and for what an adapter read from a body.
 *
 * <p>Whatever is absent, malformed or absurd is absent in the facts; nothing here throws on what a
 * server sent, and the work is linear in the length of the input, which is bounded.
 */
@NullMarked
package dev.weir.limits.header;

import org.jspecify.annotations.NullMarked;
