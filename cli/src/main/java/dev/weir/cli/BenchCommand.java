package dev.weir.cli;

import dev.weir.model.ConfigurationException;
import dev.weir.model.Spelling;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** {@code weir bench}: measures Weir itself. */
@Command(
    name = "bench",
    description = "Measures Weir itself; without a name, lists what can be measured.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  weir bench",
      "  weir bench limits",
      "  weir bench limits --http",
      "  weir bench selection --data tables",
      "  weir bench time --json"
    })
final class BenchCommand implements Callable<Integer> {

  private static final String OVER_HTTP = "-http";

  private static final JsonMapper JSON =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  @Parameters(arity = "0..1", paramLabel = "NAME", description = "What to measure.")
  private @Nullable String name;

  @Option(
      names = "--http",
      description = "Measure over real HTTP on this machine, where that can be done: limits.")
  private boolean http;

  @Option(names = "--json", description = "Print one JSON document. Default: false.")
  private @Nullable Boolean json;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "Measure on the tables in this directory, where that can be done: selection.")
  private @Nullable Path data;

  private final Surroundings surroundings;

  BenchCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  @Override
  public Integer call() throws Exception {
    Map<String, Benchmark> known = new TreeMap<>();
    ServiceLoader.load(Benchmark.class).forEach(found -> known.put(found.name(), found));
    if (known.isEmpty()) {
      throw new ConfigurationException(
          "there are no benchmarks in this installation; ./weir bench in a clone builds them");
    }
    if (name == null) {
      known
          .values()
          .forEach(b -> surroundings.out().printf("%-12s %s%n", b.name(), b.description()));
      return ExitCode.SUCCESS;
    }
    Benchmark benchmark = known.get(http ? name + OVER_HTTP : name);
    if (http && benchmark == null && known.containsKey(name)) {
      throw new ConfigurationException(
          "'%s' cannot be measured over HTTP; leave out --http".formatted(name));
    }
    if (benchmark == null) {
      throw new ConfigurationException(
          "there is no benchmark '%s'%s".formatted(name, Spelling.hint(name, known.keySet())));
    }
    Benchmark.Report report = data == null ? benchmark.run() : benchmark.run(data);
    if (new Environment(surroundings.environment()).flag(json, "WEIR_JSON")) {
      Map<String, Object> document = new LinkedHashMap<>();
      document.put("benchmark", benchmark.name());
      document.putAll(report.figures());
      surroundings.out().println(JSON.writeValueAsString(document));
    } else {
      surroundings.out().print(report.text());
    }
    return ExitCode.SUCCESS;
  }
}
