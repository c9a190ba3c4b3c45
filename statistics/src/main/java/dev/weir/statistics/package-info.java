/**
 * How far a number can be trusted: errors, intervals and exact tests. Pure functions; what is left
 * to chance takes a seed. What cannot be told is empty, never zero.
 */
@NullMarked
package dev.weir.statistics;

import org.jspecify.annotations.NullMarked;
