package dev.weir.telemetry;

/** All metrics at one moment, as a scraper reads them. */
public record Exposition(String contentType, String text) {}
