package dev.weir.benchmarks.transport;

import com.sun.management.OperatingSystemMXBean;
import dev.weir.limits.LimitKey;
import dev.weir.model.ModelName;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.Secret;
import dev.weir.providers.http.HttpModel;
import dev.weir.providers.http.Transport;
import dev.weir.providers.http.TransportSettings;
import dev.weir.time.Task;
import dev.weir.time.Time;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;

/** The part of the benchmark that calls; alone in its JVM, whose costs are those of the calls. */
final class Client implements AutoCloseable {

  private static final int WARM_UPS = 2;

  /** For a call to be sent, and to wait for its answer. */
  private static final Duration UNTIL_IT_WAITS = Duration.ofMillis(20);

  private final Time time;
  private final long serverPid;
  private final Transport transport = Transport.open(TransportSettings.defaults());
  private final HttpModel model;
  private final AtomicInteger inFlight = new AtomicInteger();
  private final AtomicInteger peakInFlight = new AtomicInteger();
  private final AtomicInteger errors = new AtomicInteger();

  Client(Time time, URI server, long serverPid) {
    this.time = time;
    this.serverPid = serverPid;
    this.model =
        new HttpModel(
            new ModelName("bench", "simulated"),
            LimitKey.of("bench", "", "simulated"),
            server.toString(),
            new ChatWire(server.resolve("/v1/chat/completions")),
            Secret.NONE,
            transport,
            time);
  }

  @Override
  public void close() {
    transport.close();
  }

  /** So many tasks, each making so many calls one after the other. */
  private void round(int tasks, int callsPerTask) throws InterruptedException {
    List<Task<?>> asking = new ArrayList<>();
    for (int i = 0; i < tasks; i++) {
      asking.add(time.start("caller", () -> callRepeatedly(callsPerTask)));
    }
    for (Task<?> task : asking) {
      task.join();
    }
  }

  private void callRepeatedly(int calls) throws InterruptedException {
    for (int i = 0; i < calls; i++) {
      peakInFlight.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
      Response response = model.exchange(Request.of("What is the capital of France?"));
      inFlight.decrementAndGet();
      if (!(response instanceof Response.Reply)) {
        errors.incrementAndGet();
      }
    }
  }

  /** Rate and processor time, in several rounds after some that do not count. */
  Map<String, Object> rate(int tasks, int callsPerTask, int rounds, Duration latency)
      throws InterruptedException {
    for (int i = 0; i < WARM_UPS; i++) {
      round(tasks, callsPerTask);
    }
    int calls = tasks * callsPerTask;
    double idealSeconds = callsPerTask * latency.toNanos() / 1e9;
    List<Map<String, Object>> measured = new ArrayList<>();
    for (int i = 0; i < rounds; i++) {
      long begun = time.nanos();
      long cpu = cpuNanos();
      long serverCpu = serverCpuNanos();
      round(tasks, callsPerTask);
      double seconds = (time.nanos() - begun) / 1e9;
      Map<String, Object> figures = new LinkedHashMap<>();
      figures.put("share_of_ideal", idealSeconds / seconds);
      figures.put("client_cpu_micros", (cpuNanos() - cpu) / 1e3 / calls);
      figures.put("server_cpu_micros", (serverCpuNanos() - serverCpu) / 1e3 / calls);
      figures.put("cores_busy", (cpuNanos() - cpu + serverCpuNanos() - serverCpu) / 1e9 / seconds);
      measured.add(figures);
    }
    Map<String, Object> figures = counts();
    figures.put("calls_per_round", calls);
    figures.put("rounds", measured);
    return figures;
  }

  /** Memory at its peak. */
  Map<String, Object> memory(int tasks, int callsPerTask) throws IOException, InterruptedException {
    long begun = time.nanos();
    round(tasks, callsPerTask);
    Map<String, Object> figures = counts();
    figures.put("seconds", (time.nanos() - begun) / 1e9);
    figures.put("heap_peak_bytes", heapPeakBytes());
    figures.put("heap_max_bytes", Runtime.getRuntime().maxMemory());
    residentPeakBytes().ifPresent(bytes -> figures.put("resident_peak_bytes", bytes));
    return figures;
  }

  /** Milliseconds from an interrupt to the end of the call, one call after the other. */
  Map<String, Object> interrupts(int rounds, int perRound) throws InterruptedException {
    interrupted(); // loads classes
    List<Map<String, Object>> measured = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      List<Double> millis = new ArrayList<>();
      for (int i = 0; i < perRound; i++) {
        millis.add(interrupted());
      }
      Collections.sort(millis);
      Map<String, Object> figures = new LinkedHashMap<>();
      figures.put("median_millis", millis.get(perRound / 2));
      figures.put("worst_millis", millis.getLast());
      measured.add(figures);
    }
    Map<String, Object> figures = counts();
    figures.put("interrupts_per_round", perRound);
    figures.put("rounds", measured);
    return figures;
  }

  private double interrupted() throws InterruptedException {
    Task<Long> call = time.start("interrupted", this::endOfInterruptedCall);
    time.sleep(UNTIL_IT_WAITS);
    long begun = time.nanos();
    call.cancel();
    return (call.join() - begun) / 1e6;
  }

  private long endOfInterruptedCall() {
    try {
      model.exchange(Request.of("What is the capital of France?"));
      errors.incrementAndGet();
    } catch (InterruptedException expected) {
      // What is measured is when.
    }
    return time.nanos();
  }

  private Map<String, Object> counts() {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("errors", errors.get());
    figures.put("peak_in_flight", peakInFlight.get());
    return figures;
  }

  private static long cpuNanos() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  private long serverCpuNanos() {
    return ProcessHandle.of(serverPid)
        .flatMap(process -> process.info().totalCpuDuration())
        .map(Duration::toNanos)
        .orElse(0L);
  }

  private static long heapPeakBytes() {
    return ManagementFactory.getMemoryPoolMXBeans().stream()
        .filter(pool -> pool.getType() == MemoryType.HEAP)
        .map(MemoryPoolMXBean::getPeakUsage)
        .mapToLong(usage -> usage.getUsed())
        .sum();
  }

  /** All of the process's memory, where the system tells. */
  private static OptionalLong residentPeakBytes() throws IOException {
    Path status = Path.of("/proc/self/status");
    if (!Files.isReadable(status)) {
      return OptionalLong.empty();
    }
    return Files.readAllLines(status).stream()
        .filter(line -> line.startsWith("VmHWM:"))
        .mapToLong(line -> 1_024 * Long.parseLong(line.replaceAll("\\D", "")))
        .findFirst();
  }
}
