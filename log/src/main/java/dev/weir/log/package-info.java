/** What a run leaves behind: its result as a record, and as a JSON file. */
@NullMarked
package dev.weir.log;

import org.jspecify.annotations.NullMarked;
