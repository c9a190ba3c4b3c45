/** Datasets in parquet files, read with DuckDB. */
@NullMarked
package dev.weir.parquet;

import org.jspecify.annotations.NullMarked;
