package dev.weir.limits.exchange;

import dev.weir.limits.pace.PaceController;
import dev.weir.limits.pace.PaceMemory;
import dev.weir.limits.pace.PaceSettings;
import java.util.Optional;

/** Where the scopes of a process get their shares of the limits. */
@FunctionalInterface
public interface Exchanges {

  /**
   * Joins the exchange of a scope.
   *
   * @param scope its name, the same for all processes: {@code "openai@3f9a…/gpt-4o"}
   * @param memory what an earlier run learned
   * @param epochMillis the time by the clock of the memory
   * @param seed of the chances that keep processes from acting together
   */
  Exchange join(
      String scope,
      PaceSettings settings,
      Optional<PaceMemory> memory,
      long epochMillis,
      long seed,
      long now);

  /** In memory: the process has its limits to itself. */
  static Exchanges local() {
    return (_, settings, memory, epochMillis, seed, now) ->
        new LocalExchange(new PaceController(settings, memory, epochMillis, seed, now));
  }
}
