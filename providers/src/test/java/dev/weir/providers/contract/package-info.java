/** Every provider on HTTP keeps the contract, against the simulator's server. */
@NullMarked
package dev.weir.providers.contract;

import org.jspecify.annotations.NullMarked;
