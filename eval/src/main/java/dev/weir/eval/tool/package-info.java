/** The tools that a task can name, and those made of Java methods and MCP servers. */
@NullMarked
package dev.weir.eval.tool;

import org.jspecify.annotations.NullMarked;
