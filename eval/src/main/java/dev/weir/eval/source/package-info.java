/** Where tasks come from: task files, Java files, jars and classes. */
@NullMarked
package dev.weir.eval.source;

import org.jspecify.annotations.NullMarked;
