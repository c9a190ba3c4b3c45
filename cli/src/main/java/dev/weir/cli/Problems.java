package dev.weir.cli;

import dev.weir.model.ConfigurationException;
import dev.weir.model.Spelling;
import dev.weir.time.TaskFailedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
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
    String message =
        problem instanceof UnmatchedArgumentException unmatched
            ? unmatched(unmatched, command.getCommandSpec())
            : String.valueOf(problem.getMessage());
    tell(message, List.of(args).contains("--debug") ? Optional.of(problem) : Optional.empty());
    surroundings.err().printf("Try '%s --help'.%n", command.getCommandSpec().qualifiedName());
    return ExitCode.USAGE;
  }

  @Override
  public int handleExecutionException(Exception thrown, CommandLine command, ParseResult parsed) {
    Throwable problem = thrown;
    if (thrown instanceof TaskFailedException && thrown.getCause() != null) {
      problem = thrown.getCause();
    }
    boolean debug =
        command.getCommandSpec().root().userObject() instanceof Weir weir && weir.debug();
    Optional<Throwable> trace = debug ? Optional.of(problem) : Optional.empty();
    return switch (problem) {
      case ConfigurationException bad -> {
        tell(String.valueOf(bad.getMessage()), trace);
        yield ExitCode.USAGE;
      }
      case IOException failed -> {
        tell("a file could not be read or written: " + failed, trace);
        yield ExitCode.FAILED;
      }
      default -> {
        tell(
            "something went wrong inside Weir (%s); run again with --debug to see where"
                .formatted(problem),
            trace);
        yield ExitCode.FAILED;
      }
    };
  }

  private void tell(String message, Optional<Throwable> trace) {
    surroundings.err().println("weir: " + message);
    trace.ifPresent(problem -> problem.printStackTrace(surroundings.err()));
  }

  private static String unmatched(UnmatchedArgumentException problem, CommandSpec command) {
    String word = problem.getUnmatched().getFirst();
    if (word.startsWith("-")) {
      String name = word.contains("=") ? word.substring(0, word.indexOf('=')) : word;
      List<String> known = new ArrayList<>(command.optionsMap().keySet());
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
