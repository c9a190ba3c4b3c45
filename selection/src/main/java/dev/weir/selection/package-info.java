/**
 * Which combination of models is best, decided from as few evaluations as that takes.
 *
 * <p>Decisions only: a {@link dev.weir.selection.Selection} says what to evaluate, is told what
 * came of it, and says in the end what is known and how surely. It reads no clock, starts no thread
 * and opens no file. What it decides depends on the plan, its seed and the outcomes, never on the
 * order in which outcomes come nor on how many evaluations run at once.
 */
@NullMarked
package dev.weir.selection;

import org.jspecify.annotations.NullMarked;
