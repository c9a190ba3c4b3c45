package dev.weir.eval.tool;

import dev.weir.eval.component.Arguments;
import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sandbox.ExecRequest;
import dev.weir.eval.sandbox.ExecResult;
import dev.weir.eval.sandbox.SandboxSpec;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Runs what a model wrote, in the sandbox of the sample. */
record Programs(Duration timeout, Optional<String> user, int maxOutput) {

  static final Programs DEFAULTS =
      new Programs(ExecRequest.DEFAULT_TIMEOUT, Optional.empty(), ToolOutput.DEFAULT_LIMIT);

  Programs {
    if (!timeout.isPositive()) {
      throw new IllegalArgumentException("`timeout` must be > 0, was " + timeout);
    }
  }

  static Programs of(Arguments arguments) {
    return new Programs(
        ToolOutput.timeout(arguments, DEFAULTS.timeout),
        arguments.text("user"),
        ToolOutput.limit(arguments));
  }

  Programs within(Duration newTimeout) {
    return new Programs(newTimeout, user, maxOutput);
  }

  /** Runs command lines. */
  record Bash(Programs running) implements InSandbox {

    private static final String PROGRAM = "bash";

    @Override
    public List<String> programs() {
      return List.of(PROGRAM);
    }

    @Override
    public void requireUsable(SandboxSpec sandbox) {
      running.user.ifPresent(sandbox::requireUser);
    }

    @ToolMethod(
        "Runs a command line with bash and returns what it prints. Each call is a new shell in the"
            + " same working directory: files stay, variables and the current directory do not."
            + " There is nobody to answer questions of a program.")
    String bash(
        @Param("The command line; several lines are a script.") String cmd, SampleContext context)
        throws InterruptedException {
      if (cmd.indexOf('\0') >= 0) {
        throw new ToolException("`cmd` must not contain a zero character");
      }
      return running.run(ExecRequest.of(PROGRAM, "-c", "--", cmd), "the command", context);
    }
  }

  /** Runs Python code. */
  record Python(Programs running) implements InSandbox {

    private static final String PROGRAM = "python3";

    @Override
    public List<String> programs() {
      return List.of(PROGRAM);
    }

    @Override
    public void requireUsable(SandboxSpec sandbox) {
      running.user.ifPresent(sandbox::requireUser);
    }

    @ToolMethod(
        "Runs Python 3 code and returns what it prints: values are not shown unless print() is"
            + " called. Each call is a new interpreter in the same working directory: files stay,"
            + " variables and imports do not.")
    String python(@Param("The code.") String code, SampleContext context)
        throws InterruptedException {
      // Unbuffered, so that what was printed before a time-out is not lost.
      return running.run(ExecRequest.of(PROGRAM, "-u", "-").withStdin(code), "the code", context);
    }
  }

  private String run(ExecRequest request, String what, SampleContext context)
      throws InterruptedException {
    ExecRequest timed = request.withTimeout(timeout);
    ExecResult result = context.sandbox().exec(user.map(timed::withUser).orElse(timed));
    String printed = ToolOutput.limited(printed(result), maxOutput);
    if (result.timedOut()) {
      throw ToolException.timeout(
          "%s took longer than %s and was ended.%s"
              .formatted(
                  what,
                  ToolOutput.seconds(timeout),
                  printed.isEmpty() ? " It had printed nothing." : " It had printed:\n" + printed));
    }
    if (result.exitCode() != 0) {
      return joined(printed, "[exit code %d]".formatted(result.exitCode()));
    }
    return printed;
  }

  /** Complaints first, as Inspect shows them. */
  private static String printed(ExecResult result) {
    String complaints =
        result.stderrTruncated()
            ? joined(result.stderr(), "[there was more on stderr, which was not kept]")
            : result.stderr();
    String output =
        result.stdoutTruncated()
            ? joined(result.stdout(), "[there was more on stdout, which was not kept]")
            : result.stdout();
    return complaints.isEmpty() || output.isEmpty()
        ? complaints + output
        : joined(complaints, output);
  }

  private static String joined(String first, String second) {
    return first.isEmpty() || first.endsWith("\n") ? first + second : first + "\n" + second;
  }
}
