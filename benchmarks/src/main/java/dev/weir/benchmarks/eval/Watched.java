package dev.weir.benchmarks.eval;

import dev.weir.benchmarks.transport.Programs;
import dev.weir.time.Time;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/**
 * A {@code weir eval} in a process of its own, seen from outside: its processor time and memory as
 * the system counts them. Not thread-safe.
 */
public final class Watched implements AutoCloseable {

  private static final JsonMapper JSON = new JsonMapper();

  /** As long as a real one: each answer is searched for it. */
  private static final String KEY = "a-made-up-key-of-the-usual-length-0123456789";

  private static final Duration LOOK_EACH = Duration.ofMillis(20);

  /** What a process did, in ticks: its own, then that of its children that have ended. */
  private static final int CHILDREN_USER_TICKS = 13;

  private static final double TICKS_PER_SECOND = 100;
  private static final Pattern RESIDENT = Pattern.compile("VmHWM:\\s*(\\d+) kB");
  private static final Pattern CLASS_BYTES = Pattern.compile("(?m)^ *\\d+: +\\d+ +(\\d+) +(\\S+)");

  private final Time time;
  private final Process process;
  private final double childrenBefore;
  private double cpuSeconds;
  private long residentBytes;

  private Watched(Time time, Process process, double childrenBefore) {
    this.time = time;
    this.process = process;
    this.childrenBefore = childrenBefore;
  }

  /**
   * Starts the command as users do: through the script, where there is one beside the build.
   *
   * @param directory where it works and writes
   * @param javaOption one for the JVM, or nothing
   */
  public static Watched start(Time time, Path directory, String javaOption, List<String> arguments)
      throws IOException {
    ProcessBuilder builder =
        Programs.weir(javaOption.isEmpty() ? List.of() : List.of(javaOption), arguments)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("output").toFile());
    Path script = script();
    if (Files.isExecutable(script)) {
      List<String> command = new ArrayList<>(List.of(script.toString()));
      command.addAll(arguments);
      builder.command(command);
      builder.environment().put("WEIR_JAVA_OPTS", javaOption);
    }
    Map<String, String> environment = builder.environment();
    environment.put("OPENAI_API_KEY", KEY);
    environment.put("ANTHROPIC_API_KEY", KEY);
    environment.put("WEIR_TRACE_DIR", directory.resolve("traces").toString());
    // To read a machine's own certificates takes a while, and nothing here is secured by them.
    environment.remove("SSL_CERT_FILE");
    environment.remove("REQUESTS_CA_BUNDLE");
    double before = childrenCpuSeconds();
    return new Watched(time, builder.start(), before);
  }

  /** Of the clone that this build is from: {@code weir} beside {@code .weir/<build>/weir.jar}. */
  private static Path script() {
    String classPath = System.getProperty("java.class.path", "");
    Path jar = Path.of(List.of(classPath.split(java.io.File.pathSeparator, -1)).getFirst());
    Path build = jar.toAbsolutePath().getParent();
    Path builds = build == null ? null : build.getParent();
    Path root = builds == null ? null : builds.getParent();
    return root != null && jar.endsWith("weir.jar") ? root.resolve("weir") : Path.of("none");
  }

  /** Looks at it; false when it has ended. */
  public boolean look() throws IOException, InterruptedException {
    time.sleep(LOOK_EACH);
    if (!process.isAlive()) {
      return false;
    }
    process
        .info()
        .totalCpuDuration()
        .ifPresent(used -> cpuSeconds = Math.max(cpuSeconds, used.toNanos() / 1e9));
    Path status = Path.of("/proc/" + process.pid() + "/status");
    try {
      Matcher found = RESIDENT.matcher(Files.readString(status));
      if (found.find()) {
        residentBytes = Math.max(residentBytes, 1_024 * Long.parseLong(found.group(1)));
      }
    } catch (IOException ended) {
      // It ended just now, or the system does not tell.
    }
    return true;
  }

  /** Of the process so far. */
  double cpuSeconds() {
    return cpuSeconds;
  }

  /** The most memory it had at a time; 0 where the system does not tell. */
  long residentBytes() {
    return residentBytes;
  }

  /** Of the whole process, once it has ended, to its last instruction where the system tells. */
  public double wholeCpuSeconds() throws IOException {
    return Math.max(cpuSeconds, childrenCpuSeconds() - childrenBefore);
  }

  /** What is alive in the heap: counted by a full collection, while the program stands still. */
  long liveHeapBytes(Path directory) throws IOException, InterruptedException {
    String tool = Path.of(System.getProperty("java.home", ""), "bin", "jcmd").toString();
    Path said = directory.resolve("heap");
    Process asked =
        new ProcessBuilder(tool, String.valueOf(process.pid()), "GC.class_histogram")
            .redirectErrorStream(true)
            .redirectOutput(said.toFile())
            .start();
    while (asked.isAlive()) {
      time.sleep(LOOK_EACH);
    }
    return liveBytes(Files.readString(said));
  }

  /**
   * @param histogram of the heap, a line for each class
   */
  static long liveBytes(String histogram) {
    long bytes = 0;
    Matcher counted = CLASS_BYTES.matcher(histogram);
    while (counted.find()) {
      // A collector that moves little fills gaps with objects of its own, which nobody holds.
      if (!counted.group(2).contains("jdk.internal.vm.Filler")) {
        bytes += Long.parseLong(counted.group(1));
      }
    }
    return bytes;
  }

  /** What it printed as JSON. */
  public Map<String, Object> result(Path directory) throws IOException {
    String text = Files.readString(directory.resolve("output"));
    int begin = text.indexOf('{');
    if (begin < 0) {
      throw new IOException("the evaluation failed: " + text);
    }
    return JSON.readValue(text.substring(begin), new TypeReference<Map<String, Object>>() {});
  }

  private static double childrenCpuSeconds() throws IOException {
    Path stat = Path.of("/proc/self/stat");
    if (!Files.isReadable(stat)) {
      return 0;
    }
    String text = Files.readString(stat);
    // The name of the program comes second, and may hold spaces.
    String[] fields = text.substring(text.lastIndexOf(')') + 2).split(" ", -1);
    int user = CHILDREN_USER_TICKS;
    return (Long.parseLong(fields[user]) + Long.parseLong(fields[user + 1])) / TICKS_PER_SECOND;
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
