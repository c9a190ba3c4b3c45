/**
 * The HTTP server that simulator, gateway, viewer and metrics share.
 *
 * <p>{@link dev.weir.web.WebServer} runs a {@link dev.weir.web.Handler} for each request, as a task
 * of its own, and cancels the task when the client has gone. The library underneath (Vert.x) shows
 * nowhere in the public types.
 */
@NullMarked
package dev.weir.web;

import org.jspecify.annotations.NullMarked;
