package dev.weir.cli;

import dev.weir.model.ConfigurationException;
import dev.weir.model.Printable;
import dev.weir.model.Spelling;
import dev.weir.simulator.server.Profile;
import dev.weir.time.Shutdown;
import dev.weir.time.TaskFailedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Tells a person what went wrong in a sentence or two; a stack trace only with --debug. */
final class Problems implements IParameterExceptionHandler, IExecutionExceptionHandler {

  private final Surroundings surroundings;

  Problems(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  @Override
  public int handleParseException(ParameterException problem, String[] args) {
    CommandLine command = problem.getCommandLine();
    Boolean debug = List.of(args).contains("--debug") ? true : null;
    tell(message(problem, command.getCommandSpec()), problem, debug);
    surroundings.err().printf("Try '%s --help'.%n", command.getCommandSpec().qualifiedName());
    return ExitCode.USAGE;
  }

  @Override
  public int handleExecutionException(Exception thrown, CommandLine command, ParseResult parsed) {
    Throwable problem = thrown;
    if (thrown instanceof TaskFailedException && thrown.getCause() != null) {
      problem = thrown.getCause();
    }
    Boolean debug =
        command.getCommandSpec().root().userObject() instanceof Weir weir ? weir.debug() : null;
    return switch (problem) {
      case ConfigurationException bad -> {
        tell(String.valueOf(bad.getMessage()), problem, debug);
        yield ExitCode.USAGE;
      }
      case SilentRunException silent -> {
        tell(String.valueOf(silent.getMessage()), problem, debug);
        yield ExitCode.FAILED;
      }
      case IOException failed -> {
        tell("a file could not be read or written: " + failed, problem, debug);
        yield ExitCode.FAILED;
      }
      case IllegalStateException _ when Shutdown.isUnderWay() -> {
        // A signal came between the preparation and the work; the exit code is decided already.
        tell("interrupted before it had begun", problem, debug);
        yield ExitCode.INTERRUPTED;
      }
      default -> {
        tell(
            "something went wrong inside Weir (%s); run again with --debug to see where"
                .formatted(problem),
            problem,
            debug);
        yield ExitCode.FAILED;
      }
    };
  }

  private void tell(String message, Throwable problem, @Nullable Boolean debug) {
    // Several that are told at once stand on lines of their own.
    List<String> lines = message.lines().map(Printable::line).toList();
    surroundings.err().println("weir: " + String.join(System.lineSeparator() + "  ", lines));
    try {
      if (new Environment(surroundings.environment()).flag(debug, "WEIR_DEBUG")) {
        problem.printStackTrace(surroundings.err());
      }
    } catch (ConfigurationException wrong) {
      // Told where a command is started; the problem at hand is more than enough here.
    }
  }

  private static String message(ParameterException problem, CommandSpec command) {
    if (problem instanceof UnmatchedArgumentException unmatched) {
      return unmatched(unmatched, command);
    }
    if (problem instanceof MissingParameterException missing
        && missing.getMissing().stream().allMatch(ArgSpec::isPositional)) {
      ArgSpec positional = missing.getMissing().getFirst();
      return positional.arity().min() > 1
          ? "at least %d of %s are needed"
              .formatted(positional.arity().min(), positional.paramLabel())
          : "no %s is given".formatted(positional.paramLabel());
    }
    if (problem instanceof MissingParameterException missing
        && missing.getMissing().getFirst() instanceof OptionSpec option) {
      boolean isAbsent = String.valueOf(problem.getMessage()).startsWith("Missing required option");
      return "%s %s, %s%s"
          .formatted(
              option.longestName(),
              isAbsent ? "must be given" : "needs a value",
              option.paramLabel(),
              values(option));
    }
    // Ours completes a sentence; picocli's own wording around it says less and is longer.
    return problem.getCause() instanceof TypeConversionException wrong
        ? name(problem.getArgSpec()) + " " + wrong.getMessage()
        : String.valueOf(problem.getMessage());
  }

  /** The words that an option takes, if they are few and nobody knows them by heart. */
  private static String values(OptionSpec option) {
    return List.of("--rehearse", "--profile").contains(option.longestName())
        ? "; there are: "
            + String.join(", ", Profile.all().stream().map(Profile::name).toList())
            + " (weir simulate --list-profiles describes them)"
        : "";
  }

  private static String name(ArgSpec argument) {
    return argument instanceof OptionSpec option ? option.longestName() : argument.paramLabel();
  }

  private static String unmatched(UnmatchedArgumentException problem, CommandSpec command) {
    String word = problem.getUnmatched().getFirst();
    if (word.startsWith("-")) {
      String name = word.contains("=") ? word.substring(0, word.indexOf('=')) : word;
      List<String> known = new ArrayList<>(command.optionsMap().keySet());
      if (name.equals("--scorer") && command.name().startsWith("eval")) {
        return "there is no option '--scorer': the task names its scorers with the key `scorer`; to"
            + " score an existing log with another one: weir score LOG --scorer NAME";
      }
      return "there is no option '%s'%s"
          .formatted(name, Spelling.nearest(name, known).map(Problems::meant).orElse(""));
    }
    if (!command.subcommands().isEmpty()) {
      return "there is no command '%s'%s"
          .formatted(word, Spelling.hint(word, command.subcommands().keySet()));
    }
    return "the argument '%s' is one too many".formatted(word);
  }

  private static String meant(String nearest) {
    return "; did you mean '%s'?".formatted(nearest);
  }
}
