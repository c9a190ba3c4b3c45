/**
 * Reads promptfoo's configurations: providers × prompts × tests become tasks, assertions become
 * scores.
 */
@NullMarked
package dev.weir.eval.promptfoo;

import org.jspecify.annotations.NullMarked;
