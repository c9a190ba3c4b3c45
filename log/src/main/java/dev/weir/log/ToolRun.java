package dev.weir.log;

import java.time.Instant;

/**
 * A tool was run while a sample ran.
 *
 * @param at when it began
 * @param working how many seconds the sample had worked by then; waiting is not work
 * @param id of the call, as the model wrote it
 * @param arguments JSON as the model wrote it
 * @param result what the model was told
 * @param failed whether that says what went wrong
 * @param timedOut whether it failed because it took too long
 * @param seconds how long it took
 */
public record ToolRun(
    Instant at,
    double working,
    String id,
    String tool,
    String arguments,
    String result,
    boolean failed,
    boolean timedOut,
    double seconds) {}
