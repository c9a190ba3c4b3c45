/**
 * What mode {@code pace} promises about refusals and rates, measured on the record of the simulated
 * provider.
 */
@NullMarked
package dev.weir.benchmarks.promises;

import org.jspecify.annotations.NullMarked;
