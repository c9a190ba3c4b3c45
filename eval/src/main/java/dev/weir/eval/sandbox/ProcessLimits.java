package dev.weir.eval.sandbox;

import java.time.Duration;
import java.util.Optional;

/**
 * What the programs of a sandbox may use.
 *
 * <p>{@code docker} counts processes and memory for the whole container. The others have the limits
 * of the operating system (ulimit): memory, CPU time and file size are those of one process, the
 * number of processes is on top of those that the user has when a command starts, and the kernel
 * does not apply it to root.
 *
 * @param processes how many, threads included
 * @param cpuTime after how much of it a process is ended; whole seconds, rounded up
 * @param memory in bytes; outside of {@code docker} that is address space, of which some runtimes
 *     (Java, Node.js) reserve much more than they use
 * @param fileSize of the largest file that can be written, in bytes
 */
public record ProcessLimits(
    Optional<Integer> processes,
    Optional<Duration> cpuTime,
    Optional<Long> memory,
    Optional<Long> fileSize) {

  static final ProcessLimits NONE =
      new ProcessLimits(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

  /**
   * 1,024 processes and files of 1 GiB: enough for what is sensible, an end to what runs away. CPU
   * time ends with the command's own time-out, and memory depends too much on the program.
   */
  public static ProcessLimits defaults() {
    return new ProcessLimits(
        Optional.of(1_024), Optional.empty(), Optional.empty(), Optional.of(1L << 30));
  }

  public ProcessLimits {
    processes.ifPresent(number -> requirePositive("processes", number));
    cpuTime.ifPresent(time -> requirePositive("cpu_time", time.toNanos()));
    memory.ifPresent(bytes -> requirePositive("memory", bytes));
    fileSize.ifPresent(bytes -> requirePositive("file_size", bytes));
  }

  /** At least one second: the operating system knows no less. */
  Optional<Long> cpuSeconds() {
    return cpuTime.map(time -> time.plusNanos(999_999_999).toSeconds());
  }

  private static void requirePositive(String name, long value) {
    if (value < 1) {
      throw new IllegalArgumentException("`%s` must be >= 1, was %d".formatted(name, value));
    }
  }
}
