/**
 * Requests sent together, for half the price and an answer within a day.
 *
 * <pre>
 *   BatchingAdapter (gathers requests of many tasks; an adapter like any other)
 *       ├──> BatchTask ──> BatchApi (one per provider: submit, status, results, find)
 *       └──> BatchJournal (which request is in which batch, on disk before anything is paid)
 * </pre>
 */
@NullMarked
package dev.weir.model.batch;

import org.jspecify.annotations.NullMarked;
