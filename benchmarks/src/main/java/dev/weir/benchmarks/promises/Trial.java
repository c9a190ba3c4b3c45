package dev.weir.benchmarks.promises;

import dev.weir.benchmarks.limits.FlowClient;
import dev.weir.limits.FlowControl;
import dev.weir.limits.Mode;
import dev.weir.limits.PaceFlow;
import dev.weir.limits.pace.PaceMemory;
import dev.weir.limits.pace.PaceSettings;
import dev.weir.simulator.provider.AdmissionRule;
import dev.weir.simulator.provider.Client;
import dev.weir.simulator.provider.ProviderSettings;
import dev.weir.simulator.provider.RecordedRun;
import dev.weir.simulator.provider.Workload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A provider and the work for it, on which mode {@code pace} is run. */
record Trial(ProviderSettings settings, AdmissionRule rule, Workload workload, Duration end) {

  /** Long enough for any run that is to finish. */
  static final Duration LONG = Duration.ofSeconds(20_000);

  private static final long LEARNED_AT_MILLIS = 1_700_000_000_000L;
  private static final long PAUSE_MILLIS = 600_000;

  static Trial of(ProviderSettings settings, Workload workload, Duration end) {
    return new Trial(settings, AdmissionRule.NONE, workload, end);
  }

  Traffic run(long seed) {
    return run(PaceSettings.defaults(), seed);
  }

  Traffic run(PaceSettings pace, long seed) {
    return run(new FlowClient(new Mode.Pace(pace)), 1, seed);
  }

  Traffic run(Client client, int processes, long seed) {
    return new Traffic(
        RecordedRun.of(settings, rule, workload.requests(seed), processes, end, client, seed),
        settings.oneWayDelay());
  }

  /** What a run leaves for the next one. */
  Optional<PaceMemory> memory(long seed) {
    List<FlowControl> flows = new ArrayList<>();
    run(
        new FlowClient(
            session -> {
              FlowControl flow =
                  FlowControl.of(
                      new Mode.Pace(PaceSettings.defaults()),
                      session.random(),
                      session.loop().now());
              flows.add(flow);
              return flow;
            }),
        1,
        seed);
    return flows.getFirst().memory(LEARNED_AT_MILLIS);
  }

  /** A run ten minutes after the one that left the memory. */
  Traffic runRemembering(Optional<PaceMemory> memory, long seed) {
    return run(
        new FlowClient(
            session ->
                PaceFlow.remembering(
                    PaceSettings.defaults(),
                    memory,
                    LEARNED_AT_MILLIS + PAUSE_MILLIS,
                    session.random(),
                    session.loop().now())),
        1,
        seed);
  }
}
