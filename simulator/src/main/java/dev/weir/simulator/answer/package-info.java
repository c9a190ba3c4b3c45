/** Right and wrong answers by a seeded coin. */
@NullMarked
package dev.weir.simulator.answer;

import org.jspecify.annotations.NullMarked;
