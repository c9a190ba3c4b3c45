/**
 * OpenAI, and all that speak its language: chat completions and the Responses API, on OpenAI's own
 * servers, on Azure, and on servers that are compatible.
 *
 * <pre>
 *   OpenAiProvider, CompatibleProvider (Preset), AzureProvider      who is asked, and with which key
 *       └──> ChatCompletionsWire, ResponsesWire                     how
 *               └──> Refusals (Rule, ApiError, Meaning)             what a refusal means
 * </pre>
 */
@NullMarked
package dev.weir.providers.openai;

import org.jspecify.annotations.NullMarked;
