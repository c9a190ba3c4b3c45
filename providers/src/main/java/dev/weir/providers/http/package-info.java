/**
 * What all providers on HTTP share: the transport, and one exchange from request to typed response.
 *
 * <pre>
 *   HttpModel ──> Wire (one per API: body out, reply in, what a refusal means)
 *       └──────> Transport (one connection per call in flight, no retries of its own)
 * </pre>
 */
@NullMarked
package dev.weir.providers.http;

import org.jspecify.annotations.NullMarked;
