/** Metrics and saturation over HTTP: for scrapers, for browsers, and as JSON. */
@NullMarked
package dev.weir.telemetry.page;

import org.jspecify.annotations.NullMarked;
