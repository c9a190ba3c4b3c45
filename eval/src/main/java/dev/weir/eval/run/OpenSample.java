package dev.weir.eval.run;

import java.time.Duration;

/**
 * A sample that runs.
 *
 * @param age since it was opened
 * @param isScoring whether its solvers have ended
 */
public record OpenSample(String id, int epoch, Duration age, boolean isScoring) {}
