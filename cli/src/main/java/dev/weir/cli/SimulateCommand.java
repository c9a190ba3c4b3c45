package dev.weir.cli;

import dev.weir.model.ConfigurationException;
import dev.weir.model.Printable;
import dev.weir.simulator.provider.Advertisement;
import dev.weir.simulator.server.Given;
import dev.weir.simulator.server.Profile;
import dev.weir.simulator.server.Setting;
import dev.weir.simulator.server.Simulation;
import dev.weir.simulator.server.SimulatorServer;
import dev.weir.simulator.server.Stats;
import dev.weir.time.Completion;
import dev.weir.time.Shutdown;
import dev.weir.time.Signal;
import dev.weir.time.Time;
import dev.weir.web.WebSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;

/** {@code weir simulate}: a simulated provider for clients in any language. */
@Command(
    name = "simulate",
    description = {
      "Serve a simulated provider over HTTP.",
      "",
      "It speaks the APIs of OpenAI (/v1/chat/completions,"
          + " /v1/responses; for Azure under /openai), Anthropic (/v1/messages), Gemini"
          + " (/v1beta/models/…), Vertex (/v1/projects/…) and Bedrock (/model/…/converse), and the"
          + " batches of OpenAI (/v1/files, /v1/batches) and Anthropic (/v1/messages/batches);"
          + " /stats reports what it saw, POST /stats/reset begins again. Ends with Ctrl+C.",
      "",
      "It answers with the file of --answers, else with the text of [[echo: …]] in the prompt, else"
          + " right or wrong where [[target: …]] says what is right, else with a fixed sentence."
          + " [[tool: name {…}]] calls a tool; [[status: 503]], [[stream-error: …]], [[truncate]]"
          + " and others, which simulator/README.md lists, trigger faults.",
      "",
      "Times (outages, changes of limits) count from the start. Each option can also be set in the"
          + " environment: --rpm as WEIR_SIMULATE_RPM."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  weir simulate --profile openai-tier-1 --port 8080",
      "  weir simulate --rpm 600 --burst 10 --latency 1.5s:0.5 --headers none",
      "  weir simulate --cap 8:queue --outage 30s+10s --error-rate 0.01",
      "  weir simulate --rpm 1200 --burst 30 --advertise openai-rate --stray-rate 0.005",
      "  weir simulate --list-profiles",
      "  curl localhost:8080/stats"
    })
final class SimulateCommand implements Callable<Integer> {

  private static final int DEFAULT_PORT = 8080;

  /** After an interrupt, the server has so long to end cleanly. */
  private static final Duration LAST_WORDS = Duration.ofSeconds(4);

  private static final JsonMapper JSON = new JsonMapper();

  @Option(
      names = "--profile",
      paramLabel = "NAME",
      description =
          "A published tier, for example openai-tier-1. What else is given wins over it. Default:"
              + " no limits.")
  private @Nullable String profile;

  @Option(
      names = "--list-profiles",
      description = "Show the profiles with their source and date, and exit.")
  private boolean listProfiles;

  @Option(names = "--list-advertisements", description = "List the ways of --advertise and exit.")
  private boolean listAdvertisements;

  @Option(
      names = "--host",
      paramLabel = "ADDRESS",
      description =
          "Where to listen. Default: 127.0.0.1, which only this machine reaches; it answers to"
              + " local names only.")
  private @Nullable String host;

  @Option(
      names = "--port",
      paramLabel = "N",
      description = "The port; 0 for any that is free. Default: " + DEFAULT_PORT + ".")
  private @Nullable String port;

  @Option(
      names = "--json",
      description = "Print the address, and at the end the counts, as JSON. Default: false.")
  private @Nullable Boolean json;

  @Spec private @Nullable CommandSpec spec;

  private final Surroundings surroundings;
  private final Environment environment;

  private SimulateCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
    this.environment = new Environment(surroundings.environment());
  }

  /** The command with an option for each setting of a simulation. */
  static CommandLine commandLine(Surroundings surroundings) {
    var commandLine = new CommandLine(new SimulateCommand(surroundings));
    for (Setting setting : Setting.values()) {
      OptionSpec.Builder option =
          OptionSpec.builder("--" + setting.key())
              .paramLabel(setting.label())
              // A percent sign would be a format to picocli.
              .description(setting.description().replace("%", "%%"));
      commandLine
          .getCommandSpec()
          .addOption(
              setting.repeatable()
                  ? option.type(List.class).auxiliaryTypes(String.class).splitRegex(",").build()
                  : option.type(String.class).build());
    }
    return commandLine;
  }

  @Override
  public Integer call() throws Exception {
    boolean asJson = environment.flag(json, "WEIR_JSON");
    if (listProfiles) {
      new ProfileTable(surroundings.out()).print(Profile.all(), asJson);
      return ExitCode.SUCCESS;
    }
    if (listAdvertisements) {
      printAdvertisements(asJson);
      return ExitCode.SUCCESS;
    }
    Optional<Profile> chosen =
        environment.orElse(profile, "WEIR_SIMULATE_PROFILE", Values::text).map(Profile::named);
    Simulation simulation = Simulation.of(chosen, given(), surroundings.time().freshSeed());
    try (SimulatorServer server = start(settings(), simulation)) {
      return serve(server, simulation, asJson);
    }
  }

  private void printAdvertisements(boolean asJson) {
    if (asJson) {
      List<Map<String, Object>> documents = new ArrayList<>();
      for (Advertisement way : Advertisement.values()) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("advertisement", way.word());
        document.put("description", way.description());
        document.put("usable", way.isUsable());
        documents.add(document);
      }
      surroundings.out().println(JSON.writeValueAsString(documents));
      return;
    }
    for (Advertisement way : Advertisement.values()) {
      surroundings.out().printf("%-15s %s%n", way.word(), way.description());
    }
  }

  private WebSettings settings() {
    WebSettings settings = WebSettings.loopback(port());
    Optional<String> elsewhere = environment.orElse(host, "WEIR_SIMULATE_HOST", Values::text);
    if (elsewhere.isPresent() && elsewhere.get().isBlank()) {
      throw new ConfigurationException("--host must not be empty; give an address");
    }
    return elsewhere.map(settings::withHost).orElse(settings);
  }

  private int port() {
    String origin = port == null ? "WEIR_SIMULATE_PORT" : "--port";
    Optional<String> word = environment.orElse(port, "WEIR_SIMULATE_PORT", Values::text);
    if (word.isEmpty()) {
      return DEFAULT_PORT;
    }
    try {
      int value = Integer.parseInt(word.get());
      if (value >= 0 && value <= 65_535) {
        return value;
      }
    } catch (NumberFormatException notANumber) {
      // Reported below, like a number out of range.
    }
    throw new ConfigurationException(
        "%s must be a whole number from 0 to 65535, was '%s'".formatted(origin, word.get()));
  }

  private Map<Setting, List<Given>> given() {
    Map<Setting, List<Given>> given = new EnumMap<>(Setting.class);
    for (Setting setting : Setting.values()) {
      List<Given> words = given(setting);
      if (!words.isEmpty()) {
        given.put(setting, words);
      }
    }
    return given;
  }

  private List<Given> given(Setting setting) {
    String option = "--" + setting.key();
    Object value = spec == null ? null : spec.findOption(option).getValue();
    if (value instanceof List<?> words) {
      return words.stream().map(word -> new Given(option, String.valueOf(word))).toList();
    }
    if (value instanceof String word) {
      return List.of(new Given(option, word));
    }
    // Not WEIR_RPM: that is the tier of those who evaluate.
    String variable = "WEIR_SIMULATE_" + setting.key().replace('-', '_').toUpperCase(Locale.ROOT);
    String word = surroundings.environment().getOrDefault(variable, "");
    if (word.isEmpty()) {
      return List.of();
    }
    return setting.repeatable()
        ? List.of(word.split(",", -1)).stream().map(part -> new Given(variable, part)).toList()
        : List.of(new Given(variable, word));
  }

  private SimulatorServer start(WebSettings settings, Simulation simulation)
      throws InterruptedException {
    try {
      return SimulatorServer.start(surroundings.time(), settings, simulation);
    } catch (IOException failed) {
      String place = "%s, port %d".formatted(settings.host(), settings.port());
      throw new ConfigurationException(
          String.valueOf(failed.getMessage()).contains("in use")
              ? "another program listens on %s; choose another --port, or 0 for any that is free"
                  .formatted(place)
              : "it is not possible to listen on %s (%s); choose another --host or --port"
                  .formatted(place, failed.getMessage()),
          failed);
    }
  }

  /** Until the process is asked to end. */
  private int serve(SimulatorServer server, Simulation simulation, boolean asJson)
      throws InterruptedException {
    Time time = surroundings.time();
    Signal stop = time.signal("the end of the simulation");
    var told = new Completion<Boolean>(time, "the summary");
    try (var _ = Shutdown.onRequest(() -> end(stop, told))) {
      greet(server, simulation, asJson);
      stop.await();
      server.close();
      summarize(server.stats(), asJson);
      return ExitCode.INTERRUPTED;
    } finally {
      surroundings.out().flush();
      surroundings.err().flush();
      told.complete(true);
    }
  }

  private void end(Signal stop, Completion<?> told) {
    stop.send();
    try {
      told.await(surroundings.time().after(LAST_WORDS));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void greet(SimulatorServer server, Simulation simulation, boolean asJson) {
    String name = simulation.profile().map(Profile::name).orElse("");
    if (asJson) {
      Map<String, Object> document = new LinkedHashMap<>();
      document.put("address", server.address().toString());
      document.put("port", server.address().getPort());
      document.put("profile", name.isEmpty() ? null : name);
      document.put("seed", simulation.seed());
      surroundings.out().println(JSON.writeValueAsString(document));
    } else {
      surroundings
          .out()
          .println(
              "Listening on %s (%s, seed %d)"
                  .formatted(
                      server.address(),
                      name.isEmpty() ? "no profile" : "profile " + name,
                      simulation.seed()));
      surroundings
          .err()
          .print(
              """
              Try it, and see what it counted; Ctrl+C ends it:
                curl %1$s/v1/chat/completions -H 'content-type: application/json' \\
                  -d '{"model":"any","messages":[{"role":"user","content":"Say [[echo: hello]]"}]}'
                curl %1$s/stats
              """
                  .formatted(server.address()));
    }
    surroundings.out().flush();
    surroundings.err().flush();
  }

  private void summarize(Stats stats, boolean asJson) {
    if (asJson) {
      surroundings.out().println(JSON.writeValueAsString(stats.document()));
    } else {
      surroundings
          .out()
          .println(
              Printable.line(
                  String.format(
                      Locale.ROOT,
                      "%d requests in %.1f s: %d answers, %d refusals, %d failures, %d cancelled;"
                          + " at most %d in flight",
                      stats.requests(),
                      stats.makespanSeconds(),
                      stats.answers(),
                      stats.allRefusals(),
                      stats.allFailures(),
                      stats.cancelled(),
                      stats.peakInFlight())));
    }
  }
}
