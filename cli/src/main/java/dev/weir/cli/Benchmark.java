package dev.weir.cli;

import java.util.Map;

/**
 * A measurement that {@code weir bench} can run; found with {@link java.util.ServiceLoader}, so
 * that the command line does not depend on the benchmarks.
 */
public interface Benchmark {

  /** What it is called on the command line. */
  String name();

  /** What it measures, in one line. */
  String description();

  /**
   * Runs once.
   *
   * @return figures by name, in the order in which they are shown; numbers or text
   */
  Map<String, Object> run() throws Exception;
}
