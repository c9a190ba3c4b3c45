package dev.weir.eval.sandbox;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A command to be run in a sandbox.
 *
 * @param command the program and its arguments; no shell takes them apart
 * @param stdin what it can read, as UTF-8
 * @param workingDirectory in the sandbox; relative to its working directory, which is the default
 * @param environment added to the sandbox's own, and stronger than it
 * @param user who it runs as; only in sandboxes that have users of their own
 * @param timeout when it is ended, with all that it started
 */
public record ExecRequest(
    List<String> command,
    String stdin,
    Optional<String> workingDirectory,
    Map<String, String> environment,
    Optional<String> user,
    Duration timeout) {

  /** Longer than most commands, shorter than a night. */
  public static final Duration DEFAULT_TIMEOUT = Duration.ofMinutes(10);

  /**
   * @throws IllegalArgumentException if there is no command, no time, or text that no process can
   *     be given
   */
  public ExecRequest {
    command = List.copyOf(command);
    environment = Map.copyOf(environment);
    if (command.isEmpty()) {
      throw new IllegalArgumentException("`command` must name a program, was empty");
    }
    Stream.of(command.stream(), workingDirectory.stream(), user.stream())
        .flatMap(texts -> texts)
        .forEach(text -> requireNoZero(text, "command"));
    requireVariables(environment);
    if (!timeout.isPositive()) {
      throw new IllegalArgumentException("`timeout` must be > 0, was " + timeout);
    }
  }

  public static ExecRequest of(String... command) {
    return of(List.of(command));
  }

  /** Without input, in the working directory of the sandbox, for at most 10 minutes. */
  public static ExecRequest of(List<String> command) {
    return new ExecRequest(
        command, "", Optional.empty(), Map.of(), Optional.empty(), DEFAULT_TIMEOUT);
  }

  public ExecRequest withStdin(String newStdin) {
    return new ExecRequest(command, newStdin, workingDirectory, environment, user, timeout);
  }

  public ExecRequest withWorkingDirectory(String directory) {
    return new ExecRequest(command, stdin, Optional.of(directory), environment, user, timeout);
  }

  public ExecRequest withEnvironment(Map<String, String> newEnvironment) {
    return new ExecRequest(command, stdin, workingDirectory, newEnvironment, user, timeout);
  }

  public ExecRequest withUser(String newUser) {
    return new ExecRequest(
        command, stdin, workingDirectory, environment, Optional.of(newUser), timeout);
  }

  public ExecRequest withTimeout(Duration newTimeout) {
    return new ExecRequest(command, stdin, workingDirectory, environment, user, newTimeout);
  }

  /** Values may be credentials. */
  @Override
  public String toString() {
    return "ExecRequest[command=%s, environment=%s, timeout=%s]"
        .formatted(command, environment.keySet(), timeout);
  }

  /** Checks names and values as the operating system would. */
  static void requireVariables(Map<String, String> environment) {
    environment.forEach(
        (name, value) -> {
          if (name.isEmpty() || name.contains("=")) {
            throw new IllegalArgumentException(
                "`environment` must have names without '=', was '%s'".formatted(name));
          }
          requireNoZero(name, "environment");
          requireNoZero(value, "environment");
        });
  }

  private static void requireNoZero(String text, String where) {
    if (text.indexOf('\0') >= 0) {
      throw new IllegalArgumentException(
          "`%s` must not contain a zero character: no process can be given one".formatted(where));
    }
  }
}
