/** Traces and metrics of calls for OpenTelemetry, under its names for generative AI. */
@NullMarked
package dev.weir.otel;

import org.jspecify.annotations.NullMarked;
