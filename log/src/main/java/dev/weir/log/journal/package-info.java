/**
 * An append-only file of records that survives crashes, is found damaged where it is damaged, and
 * has an index. What the records mean is not known here; docs/log-format.md has every byte.
 */
@NullMarked
package dev.weir.log.journal;

import org.jspecify.annotations.NullMarked;
