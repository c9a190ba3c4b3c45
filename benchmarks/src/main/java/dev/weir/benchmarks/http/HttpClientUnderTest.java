package dev.weir.benchmarks.http;

import dev.weir.benchmarks.limits.FlowClient;
import dev.weir.benchmarks.limits.ModeUnderTest;
import dev.weir.limits.Attempt;
import dev.weir.limits.Demand;
import dev.weir.limits.Lane;
import dev.weir.limits.Permit;
import dev.weir.limits.Regulator;
import dev.weir.limits.header.BodyHints;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.header.ResponseFactsParser;
import dev.weir.limits.pace.Cost;
import dev.weir.limits.retry.Outcome;
import dev.weir.simulator.provider.Request;
import dev.weir.simulator.provider.Scenario;
import dev.weir.time.Task;
import dev.weir.time.Time;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Asks a simulator over HTTP what a scenario asks, through a lane, with a task for each request.
 *
 * <p>Loopback has no delay, so each request waits for the one-way delay of the scenario before it
 * is sent and after it is answered.
 */
final class HttpClientUnderTest implements AutoCloseable {

  private static final double ONE_WAY_NANOS = 30e6;
  private static final double JITTER = 0.3;
  private static final int CHARACTERS_PER_TOKEN = 4;
  private static final Pattern ERROR_TYPE = Pattern.compile("\"type\":\"(\\w+)\"");

  private final Time time;
  private final URI address;
  private final List<Request> requests;
  private final Lane lane;
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  // Guarded by this: many tasks draw from it.
  private final SplittableRandom network;

  HttpClientUnderTest(Time time, URI address, Scenario scenario, long seed) {
    this.time = time;
    this.address = address.resolve("/v1/chat/completions");
    this.requests = scenario.workload().requests(seed);
    this.network = new SplittableRandom(seed);
    this.lane =
        Regulator.unbounded(time, new SplittableRandom(seed))
            .lane("sim/" + scenario.name(), ModeUnderTest.PACE.forScenario().apply(scenario));
  }

  /**
   * Sends all requests; cancels what has no end after the patience.
   *
   * @return nanoseconds until the last was answered or cancelled
   */
  long askAll(Duration patience) throws InterruptedException {
    long begun = time.nanos();
    long deadline = time.after(patience);
    List<Task<?>> asking = new ArrayList<>();
    for (Request request : requests) {
      var demand = Demand.of("benchmark", FlowClient.cost(request));
      asking.add(
          time.start(
              "request-" + request.id(),
              () -> lane.call(demand, permit -> exchange(request, permit))));
    }
    for (Task<?> task : asking) {
      if (task.join(deadline)) {
        // Throws what the call threw.
        task.join();
      }
    }
    long taken = time.nanos() - begun;
    for (Task<?> task : asking) {
      task.cancel();
    }
    for (Task<?> task : asking) {
      task.join(time.after(Duration.ofSeconds(10)));
    }
    return taken;
  }

  @Override
  public void close() {
    http.close();
  }

  private Attempt.Result<String> exchange(Request request, Permit permit)
      throws InterruptedException {
    sleep(ONE_WAY_NANOS * jitter());
    HttpResponse<String> response;
    try {
      response = http.send(message(request), HttpResponse.BodyHandlers.ofString());
    } catch (IOException broken) {
      return result(new Outcome.Transient(), request, broken.toString());
    }
    sleep(ONE_WAY_NANOS);
    ResponseFacts facts =
        ResponseFactsParser.parse(response.headers().map(), hints(response), time.instant());
    return switch (response.statusCode()) {
      case 200 -> {
        permit.observe(facts);
        yield result(new Outcome.Clean(), request, response.body());
      }
      case 429 -> result(new Outcome.RateLimited(facts), request, response.body());
      default ->
          result(
              new Outcome.Terminal(Outcome.Reach.ACCOUNT, response.body()),
              request,
              response.body());
    };
  }

  /** The quota that a refusal names, if it names one. */
  private static BodyHints hints(HttpResponse<String> response) {
    Matcher type = ERROR_TYPE.matcher(response.body());
    return response.statusCode() == 429 && type.find()
        ? BodyHints.NONE.withErrorType(type.group(1))
        : BodyHints.NONE;
  }

  /** The sizes and the latency of the scenario's request. */
  private HttpRequest message(Request request) {
    String prompt =
        padded("request " + request.id() + " ", CHARACTERS_PER_TOKEN * request.promptTokens());
    String body =
        """
        {"model": "simulated", "max_tokens": %s, "messages": [{"role": "user", "content": "%s"}]}
        """
            .formatted(request.maxTokens(), prompt);
    return HttpRequest.newBuilder(address)
        .header("content-type", "application/json")
        .header("x-weir-answer", padded("", CHARACTERS_PER_TOKEN * request.outputTokens()))
        .header("x-weir-latency", request.latencyNanos() / 1_000_000 + "ms")
        .POST(HttpRequest.BodyPublishers.ofString(body))
        .build();
  }

  private static String padded(String text, int length) {
    return text + "x".repeat(Math.max(0, length - text.length()));
  }

  private static Attempt.Result<String> result(Outcome outcome, Request request, String text) {
    return new Attempt.Result<>(
        outcome, new Cost(request.promptTokens(), request.outputTokens()), text);
  }

  private synchronized double jitter() {
    return network.nextDouble(1 - JITTER, 1 + JITTER);
  }

  private void sleep(double nanos) throws InterruptedException {
    time.sleepUntil(time.nanos() + Math.round(nanos));
  }
}
