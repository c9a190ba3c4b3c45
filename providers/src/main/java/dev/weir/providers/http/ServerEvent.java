package dev.weir.providers.http;

/**
 * One server-sent event.
 *
 * @param type the field {@code event}; empty if there is none
 * @param data the fields {@code data}, joined by line breaks
 */
public record ServerEvent(String type, String data) {}
