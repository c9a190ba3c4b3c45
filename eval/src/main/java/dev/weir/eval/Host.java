package dev.weir.eval;

import dev.weir.eval.memory.MemoryUse;
import dev.weir.eval.option.TraceOptions.LogLevel;
import dev.weir.log.trace.TraceRecord;
import dev.weir.model.engine.FileVariables;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * What an evaluation may use of the program it runs in.
 *
 * @param environment variables, credentials among them
 * @param traceDirectory where traces of runs are kept, if they are
 * @param rehearsal the models to rehearse with, if nothing is to be called
 * @param watcher is told what happens call by call, on the task that caused it
 * @param memory whether runs start from limits that earlier ones learned, and save their own
 * @param isWatched whether a person at a terminal can end the evaluation
 * @param metrics serves metrics of runs that ask for it; absent if this program cannot
 */
public record Host(
    Map<String, String> environment,
    Optional<Path> traceDirectory,
    BiConsumer<LogLevel, TraceRecord> watcher,
    Optional<RehearsedModels> rehearsal,
    MemoryUse memory,
    boolean isWatched,
    Optional<MetricsServer> metrics) {

  public Host {
    environment = Map.copyOf(environment);
  }

  /** Learned limits are used if the option {@code memory} asks for it. */
  public Host(
      Map<String, String> environment,
      Optional<Path> traceDirectory,
      BiConsumer<LogLevel, TraceRecord> watcher,
      Optional<RehearsedModels> rehearsal) {
    this(
        environment,
        traceDirectory,
        watcher,
        rehearsal,
        MemoryUse.ON_REQUEST,
        false,
        Optional.empty());
  }

  /** In earnest. */
  public Host(
      Map<String, String> environment,
      Optional<Path> traceDirectory,
      BiConsumer<LogLevel, TraceRecord> watcher) {
    this(environment, traceDirectory, watcher, Optional.empty());
  }

  /**
   * The variables of this process, of {@code .env} and of files that they name; keeps no traces,
   * and learned limits if asked.
   */
  public static Host process() {
    return new Host(
        FileVariables.resolved(DotEnv.merge(System.getenv(), Path.of("").toAbsolutePath())),
        Optional.empty(),
        (_, _) -> {});
  }

  /** The same with another use of learned limits. */
  public Host withMemory(MemoryUse use) {
    return new Host(environment, traceDirectory, watcher, rehearsal, use, isWatched, metrics);
  }

  /** The same with or without a person at a terminal. */
  public Host watched(boolean newWatched) {
    return new Host(environment, traceDirectory, watcher, rehearsal, memory, newWatched, metrics);
  }

  /** The same with a server of metrics, for runs with {@code metrics_port}. */
  public Host withMetrics(MetricsServer server) {
    return new Host(
        environment, traceDirectory, watcher, rehearsal, memory, isWatched, Optional.of(server));
  }

  /** Variables may be credentials. */
  @Override
  public String toString() {
    return "Host[traceDirectory=%s]".formatted(traceDirectory);
  }
}
