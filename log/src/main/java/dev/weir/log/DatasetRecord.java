package dev.weir.log;

import java.util.Optional;

/**
 * The samples that a run was to evaluate.
 *
 * @param location the file they were read from, if it was one
 * @param sampleIds in order
 * @param shuffled whether that order was drawn
 */
public record DatasetRecord(
    String name, Optional<String> location, SampleIds sampleIds, boolean shuffled) {}
