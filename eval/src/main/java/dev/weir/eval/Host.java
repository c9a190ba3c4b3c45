package dev.weir.eval;

import dev.weir.eval.option.TraceOptions.LogLevel;
import dev.weir.log.trace.TraceRecord;
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
 */
public record Host(
    Map<String, String> environment,
    Optional<Path> traceDirectory,
    BiConsumer<LogLevel, TraceRecord> watcher,
    Optional<RehearsedModels> rehearsal) {

  public Host {
    environment = Map.copyOf(environment);
  }

  /** In earnest. */
  public Host(
      Map<String, String> environment,
      Optional<Path> traceDirectory,
      BiConsumer<LogLevel, TraceRecord> watcher) {
    this(environment, traceDirectory, watcher, Optional.empty());
  }

  /** The variables of this process and of {@code .env}; keeps no traces. */
  public static Host process() {
    return new Host(
        DotEnv.merge(System.getenv(), Path.of("").toAbsolutePath()),
        Optional.empty(),
        (_, _) -> {});
  }

  /** Variables may be credentials. */
  @Override
  public String toString() {
    return "Host[traceDirectory=%s]".formatted(traceDirectory);
  }
}
