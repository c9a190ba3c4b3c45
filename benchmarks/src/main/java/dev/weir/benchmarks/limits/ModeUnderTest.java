package dev.weir.benchmarks.limits;

import dev.weir.limits.Mode;
import dev.weir.limits.control.AimdSettings;
import dev.weir.limits.pace.PaceSettings;
import dev.weir.simulator.provider.ProviderSettings;
import dev.weir.simulator.provider.Scenario;
import java.util.List;
import java.util.function.Function;

/**
 * A mode as it is compared.
 *
 * @param name on the command line and in tables
 * @param forScenario the mode as a user of that provider would set it
 */
public record ModeUnderTest(String name, Function<Scenario, Mode> forScenario) {

  /** Its default of four would mostly show how slow four are. */
  private static final int HALVING_MAX = 20;

  public static final ModeUnderTest PACE =
      new ModeUnderTest("pace", scenario -> new Mode.Pace(paceSettings(scenario)));

  static List<ModeUnderTest> all() {
    return List.of(
        PACE,
        new ModeUnderTest("aimd", _ -> new Mode.Aimd(AimdSettings.defaults())),
        new ModeUnderTest("halving-" + HALVING_MAX, _ -> new Mode.Halving(HALVING_MAX)),
        new ModeUnderTest(
            "static-" + Mode.Static.DEFAULT_MAX_CONNECTIONS,
            _ -> new Mode.Static(Mode.Static.DEFAULT_MAX_CONNECTIONS)));
  }

  /** Whether a server is one's own and queues is known to its user, and part of a preset. */
  private static PaceSettings paceSettings(Scenario scenario) {
    PaceSettings defaults = PaceSettings.defaults();
    return new PaceSettings(
        defaults.maxConnections(),
        defaults.requestsPerMinute(),
        defaults.tokensPerMinute(),
        scenario.settings().cap().map(ProviderSettings.Cap::queues).orElse(false));
  }
}
