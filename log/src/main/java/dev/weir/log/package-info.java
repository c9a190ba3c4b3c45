/** What a run leaves behind: its log, one JSON line for its start, each sample and its end. */
@NullMarked
package dev.weir.log;

import org.jspecify.annotations.NullMarked;
