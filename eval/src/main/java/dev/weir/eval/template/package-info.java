/** Prompts with variables: plain ones at once, those with tags and filters by a Jinja engine. */
@NullMarked
package dev.weir.eval.template;

import org.jspecify.annotations.NullMarked;
