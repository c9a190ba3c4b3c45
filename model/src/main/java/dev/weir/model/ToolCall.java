package dev.weir.model;

/**
 * A tool that a model wants to be run.
 *
 * @param id what its result refers to
 * @param name of the tool
 * @param arguments a JSON object as the model wrote it; it may be malformed
 */
public record ToolCall(String id, String name, String arguments) {}
