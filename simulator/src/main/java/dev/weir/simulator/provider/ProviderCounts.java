package dev.weir.simulator.provider;

/**
 * What a provider has seen.
 *
 * @param strays those of the refusals behind which was no limit
 * @param failures requests that failed with a 5xx status
 * @param hung admitted requests that are never answered
 * @param duplicates answers to a request that had been answered before
 * @param peakInFlight the most requests that were admitted and not yet finished
 */
public record ProviderCounts(
    int accepted,
    int refusals,
    int strays,
    int failures,
    int hung,
    int answers,
    int duplicates,
    int peakInFlight) {}
