package dev.weir.cli;

import dev.weir.model.ConfigurationException;
import dev.weir.model.Spelling;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
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
    description = "Measure Weir itself; without a name, list what can be measured.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  weir bench",
      "  weir bench limits",
      "  weir bench limits --http",
      "  weir bench limits --http --rows 1,8,16 --parallel 3",
      "  weir bench selection --data tables",
      "  weir bench time --json"
    })
final class BenchCommand implements Callable<Integer> {

  private static final String OVER_HTTP = "-http";
  private static final int MOST_PARALLEL = 16;

  private static final JsonMapper JSON =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  @Parameters(arity = "0..1", paramLabel = "NAME", description = "What to measure.")
  private @Nullable String name;

  @Option(
      names = "--http",
      description = "Measure over real HTTP on this machine, where that can be done: limits.")
  private boolean http;

  @Option(
      names = "--rows",
      paramLabel = "N,…",
      description =
          "Measure these rows of the table only, where there are rows: limits --http. Default:"
              + " all.")
  private @Nullable String rows;

  @Option(
      names = "--parallel",
      paramLabel = "N",
      description =
          "Measure this many rows at a time, where there are rows: 1 to "
              + MOST_PARALLEL
              + ". Default: 2.")
  private @Nullable String parallel;

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
    Benchmark.Report report = run(benchmark);
    if (environment().flag(json, "WEIR_JSON")) {
      Map<String, Object> document = new LinkedHashMap<>();
      document.put("benchmark", benchmark.name());
      document.putAll(report.figures());
      surroundings.out().println(JSON.writeValueAsString(document));
    } else {
      surroundings.out().print(report.text());
    }
    return ExitCode.SUCCESS;
  }

  private Benchmark.Report run(Benchmark benchmark) throws Exception {
    Benchmark.Rows chosen = rows();
    if (data == null) {
      return benchmark.run(
          chosen,
          line -> {
            surroundings.err().print(line);
            surroundings.err().flush();
          });
    }
    if (!chosen.equals(Benchmark.Rows.ALL)) {
      throw new ConfigurationException(
          "--data cannot be combined with --rows or --parallel; leave them out");
    }
    return benchmark.run(data);
  }

  private Benchmark.Rows rows() {
    Set<Integer> numbers = new TreeSet<>();
    Optional<String> list = environment().orElse(rows, "WEIR_BENCH_ROWS", Values::text);
    if (list.isPresent()) {
      String origin = rows == null ? "WEIR_BENCH_ROWS" : "--rows";
      for (String word : list.get().split(",", -1)) {
        numbers.add(
            number(
                word.strip(),
                Integer.MAX_VALUE,
                "%s must be row numbers separated by commas, such as 1,8,16; was '%s'"
                    .formatted(origin, list.get())));
      }
    }
    Optional<String> count = environment().orElse(parallel, "WEIR_BENCH_PARALLEL", Values::text);
    String origin = parallel == null ? "WEIR_BENCH_PARALLEL" : "--parallel";
    return new Benchmark.Rows(
        numbers,
        count.isEmpty()
            ? OptionalInt.empty()
            : OptionalInt.of(
                number(
                    count.get(),
                    MOST_PARALLEL,
                    "%s must be a whole number from 1 to %d, was '%s'"
                        .formatted(origin, MOST_PARALLEL, count.get()))));
  }

  private static int number(String word, int most, String complaint) {
    try {
      int value = Integer.parseInt(word);
      if (value >= 1 && value <= most) {
        return value;
      }
    } catch (NumberFormatException notANumber) {
      // Reported below, like a number out of range.
    }
    throw new ConfigurationException(complaint);
  }

  private Environment environment() {
    return new Environment(surroundings.environment());
  }
}
