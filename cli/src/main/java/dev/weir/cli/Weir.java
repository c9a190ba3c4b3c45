package dev.weir.cli;

import dev.weir.eval.DotEnv;
import dev.weir.model.ConfigurationException;
import dev.weir.model.engine.FileVariables;
import dev.weir.time.Shutdown;
import dev.weir.time.Time;
import java.io.Console;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The root of all commands. */
@Command(
    name = "weir",
    description = {
      "Evaluate language models, and regulate the flow of calls to them.",
      "",
      "Each option can also be set in the environment: --max-connections as WEIR_MAX_CONNECTIONS,"
          + " those of simulate as WEIR_SIMULATE_RPM."
    },
    versionProvider = Weir.Version.class,
    synopsisSubcommandLabel = "COMMAND",
    footerHeading = "%nExamples:%n",
    footer = {
      "  weir eval examples/capitals.yaml",
      "  weir eval examples/capitals.yaml --model sim/demo:accuracy=0.6 --limit 20",
      "  weir simulate --profile openai-tier-1",
      "  weir help eval"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "  0:success",
      "  1:the evaluation failed",
      "  2:bad usage or configuration",
      "  3:the provider refused for good (credential, quota)",
      "130:interrupted (143 by a termination signal)"
    })
public final class Weir implements Callable<Integer> {

  /** Of what is told about a command in a list of all. */
  private static final int WIDTH = 66;

  /** In the order of the help. */
  private static final Map<String, Function<Surroundings, Object>> COMMANDS = commands();

  /** Those that know nothing of the others. */
  private static final Set<String> LONE_COMMANDS =
      Set.of(
          "eval",
          "eval-retry",
          "eval-set",
          "select",
          "init",
          "list",
          "score",
          "log",
          "compare",
          "providers",
          "trace",
          "ctl",
          "simulate",
          "bench",
          "cache",
          "limits");

  @Option(
      names = "--debug",
      scope = ScopeType.INHERIT,
      description = "Show the stack trace of an error.")
  private @Nullable Boolean debug;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      scope = ScopeType.INHERIT,
      description = "Show this help.")
  @SuppressWarnings("UnusedVariable") // picocli acts on it
  private boolean help;

  @Option(
      names = {"-V", "--version"},
      versionHelp = true,
      description = "Show the version.")
  @SuppressWarnings("UnusedVariable") // picocli acts on it
  private boolean version;

  @Spec private @Nullable CommandSpec spec;

  public static void main(String[] args) {
    var stream = new StandardOutput(new FileOutputStream(FileDescriptor.out));
    PrintWriter out = utf8(stream);
    PrintWriter err = utf8(System.err);
    if (args.length == 0 || !args[0].equals("bench")) {
      // What solvers and scorers print must not end up within a result.
      System.setOut(System.err);
    }
    int code;
    // Before any code of a task is loaded.
    try (var _ = Shutdown.onRequest(() -> Exit.unlessAsked(err))) {
      code = run(surroundings(out, err), args);
    }
    out.flush();
    code = withOutput(code, stream, err);
    err.flush();
    Exit.with(code);
  }

  /** A result that nobody can read is no success. */
  static int withOutput(int code, StandardOutput stream, PrintWriter err) {
    stream
        .problem()
        .ifPresent(why -> err.println("weir: standard output cannot be written: " + why));
    return code == ExitCode.SUCCESS && stream.problem().isPresent() ? ExitCode.FAILED : code;
  }

  /**
   * A file {@code .env}, or of a variable, that cannot be read is no reason to refuse help, or
   * anything but models.
   */
  private static Surroundings surroundings(PrintWriter out, PrintWriter err) {
    Map<String, String> variables = System.getenv();
    Optional<String> problem = Optional.empty();
    try {
      variables = FileVariables.resolved(DotEnv.merge(variables, Path.of("").toAbsolutePath()));
    } catch (ConfigurationException unreadable) {
      problem = Optional.ofNullable(unreadable.getMessage());
    }
    return new Surroundings(
        Time.system(), out, err, variables, problem, terminal(), JLineScreen::open);
  }

  private static Map<String, Function<Surroundings, Object>> commands() {
    Map<String, Function<Surroundings, Object>> commands = new LinkedHashMap<>();
    commands.put("init", InitCommand::new);
    commands.put("eval", EvalCommand::commandLine);
    commands.put("eval-retry", RetryCommand::commandLine);
    commands.put("eval-set", EvalSetCommand::commandLine);
    commands.put("select", SelectCommand::commandLine);
    commands.put("list", ListCommand::new);
    commands.put("score", ScoreCommand::commandLine);
    commands.put("log", LogCommand::commandLine);
    commands.put("compare", CompareCommand::new);
    commands.put("providers", ProvidersCommand::new);
    commands.put("trace", TraceCommand::new);
    commands.put("ctl", CtlCommand::new);
    commands.put("simulate", SimulateCommand::commandLine);
    commands.put("bench", BenchCommand::new);
    commands.put("cache", CacheCommand::new);
    commands.put("limits", LimitsCommand::new);
    commands.put("completion", CompletionCommand::new);
    commands.put("help", HelpCommand::new);
    return commands;
  }

  /** Runs one command, as {@link #main} does, without ending the process. */
  static int run(Surroundings surroundings, String... args) {
    QuietLibraries.silence(surroundings.environment());
    String first = args.length > 0 ? args[0] : "";
    // To set up the others would take longer than to set up this one.
    Set<String> needed = LONE_COMMANDS.contains(first) ? Set.of(first) : COMMANDS.keySet();
    return commandLine(surroundings, needed).execute(args);
  }

  /** The whole of it. */
  static CommandLine commandLine(Surroundings surroundings) {
    return commandLine(surroundings, COMMANDS.keySet());
  }

  private static CommandLine commandLine(Surroundings surroundings, Set<String> needed) {
    var commandLine = new CommandLine(new Weir());
    COMMANDS.forEach(
        (name, command) -> {
          if (needed.contains(name)) {
            commandLine.addSubcommand(command.apply(surroundings));
          }
        });
    commandLine.setOut(surroundings.out());
    commandLine.setErr(surroundings.err());
    commandLine.setColorScheme(
        CommandLine.Help.defaultColorScheme(surroundings.colours() ? Ansi.ON : Ansi.OFF));
    commandLine.registerConverter(Boolean.class, Values::flag);
    commandLine.registerConverter(Integer.class, Values::count);
    commandLine.registerConverter(Long.class, Values::whole);
    commandLine.registerConverter(Path.class, Values::path);
    commandLine.registerConverter(DisplayMode.class, DisplayMode::parse);
    commandLine.setUsageHelpAutoWidth(surroundings.terminal());
    inShortUsage(commandLine);
    Map<String, CommandLine.IHelpSectionRenderer> sections =
        new LinkedHashMap<>(commandLine.getHelpSectionMap());
    sections.put(CommandLine.Model.UsageMessageSpec.SECTION_KEY_FOOTER, Examples::render);
    sections.replaceAll((_, renderer) -> help -> WholeWords.rendered(renderer, help));
    commandLine.setHelpSectionMap(sections);
    commandLine.setHelpFactory(WholeWords::help);
    // Values with commas and equals signs belong to model names, not to picocli.
    commandLine.setTrimQuotes(false);
    commandLine.setExecutionStrategy(parsed -> execute(parsed, surroundings));
    var problems = new Problems(surroundings);
    commandLine.setParameterExceptionHandler(problems);
    commandLine.setExecutionExceptionHandler(problems);
    return commandLine;
  }

  /**
   * One line of usage, where all options would fill a screen, and options in the order in which
   * they are declared: those that belong together stand together.
   */
  private static void inShortUsage(CommandLine command) {
    command.getCommandSpec().usageMessage().abbreviateSynopsis(true).sortOptions(false);
    command.getSubcommands().values().forEach(Weir::inShortUsage);
  }

  /** Nothing was asked for: what can be, in short. */
  @Override
  public Integer call() {
    if (spec == null) {
      throw new IllegalStateException("picocli has not set the command");
    }
    PrintWriter err = spec.commandLine().getErr();
    err.println("weir: no command is given. There are:");
    err.println();
    spec.subcommands()
        .forEach((name, command) -> err.printf("  %-11s %s%n", name, inShort(command)));
    err.println();
    err.println("Examples:");
    List.of(spec.usageMessage().footer()).forEach(err::println);
    err.println();
    err.println("'weir --help' describes all commands, 'weir COMMAND --help' one.");
    return ExitCode.USAGE;
  }

  /** The first sentence of what it does. */
  private static String inShort(CommandLine command) {
    String[] header = command.getCommandSpec().usageMessage().header();
    String[] description = command.getCommandSpec().usageMessage().description();
    String text = header.length > 0 ? header[0] : String.join(" ", description);
    String sentence = text.split("[.:;] |\\.$", 2)[0];
    int comma = sentence.indexOf(", ");
    return comma > 0 && sentence.length() > WIDTH ? sentence.substring(0, comma) : sentence;
  }

  /**
   * Runs what was asked for. Help needs nothing of the environment, so that is checked after it.
   */
  private static int execute(ParseResult parsed, Surroundings surroundings) {
    Integer helped = CommandLine.executeHelpRequest(parsed);
    if (helped != null) {
      return helped;
    }
    CommandSpec root = parsed.commandSpec().root();
    try {
      Boolean given = root.userObject() instanceof Weir weir ? weir.debug() : null;
      new Environment(surroundings.environment()).flag(given, "WEIR_DEBUG");
    } catch (ConfigurationException wrong) {
      throw new ParameterException(root.commandLine(), String.valueOf(wrong.getMessage()), wrong);
    }
    return new CommandLine.RunLast().execute(parsed);
  }

  /** What the command line says about --debug, if anything. */
  @Nullable Boolean debug() {
    return debug;
  }

  private static PrintWriter utf8(OutputStream stream) {
    return new PrintWriter(stream, true, StandardCharsets.UTF_8);
  }

  /**
   * Whether people watch standard output. Java tells only for standard input and output together,
   * so with {@code </dev/null} the answer is no, and a run shows plain lines on a terminal.
   */
  @SuppressWarnings("SystemConsoleNull") // it was so from 22 to 24; 25 returns null again
  private static boolean terminal() {
    Console console = System.console();
    return console != null
        && console.isTerminal()
        && !List.of("dumb", "unknown").contains(System.getenv().getOrDefault("TERM", ""));
  }

  /** The version that the jar was built with. */
  static final class Version implements CommandLine.IVersionProvider {

    @Override
    public String[] getVersion() {
      String version = Weir.class.getPackage().getImplementationVersion();
      return new String[] {
        "weir %s (Java %s)"
            .formatted(version == null ? "development" : version, Runtime.version().feature())
      };
    }
  }
}
