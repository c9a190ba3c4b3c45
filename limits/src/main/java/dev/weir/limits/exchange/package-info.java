/**
 * How processes that share the limits of one scope agree on who may do what: each hands in what it
 * saw and gets a leased slice back. The default is in memory, for one process.
 */
@NullMarked
package dev.weir.limits.exchange;

import org.jspecify.annotations.NullMarked;
