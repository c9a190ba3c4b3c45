/** Google's Gemini, through the Gemini API and through Vertex AI. */
@NullMarked
package dev.weir.providers.google;

import org.jspecify.annotations.NullMarked;
