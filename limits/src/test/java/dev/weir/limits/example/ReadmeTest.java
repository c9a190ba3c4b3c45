package dev.weir.limits.example;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.weir.limits.Lane;
import dev.weir.limits.Mode;
import dev.weir.limits.Regulator;
import dev.weir.limits.StoppedException;
import dev.weir.limits.event.LimitEvent;
import dev.weir.limits.event.Notice;
import dev.weir.limits.pace.PaceSettings;
import dev.weir.time.Task;
import dev.weir.time.Time;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The README shows the very file that is compiled here, and it works against a real server. */
class ReadmeTest {

  private final AtomicInteger requests = new AtomicInteger();
  private HttpServer server;
  private volatile int credit = Integer.MAX_VALUE;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  /** Refuses every fifth request, with a short wait. */
  private void answer(HttpExchange exchange) throws IOException {
    int number = requests.incrementAndGet();
    exchange.getRequestBody().readAllBytes();
    int status = number > credit ? 402 : number % 5 == 0 ? 429 : 200;
    if (status == 429) {
      exchange.getResponseHeaders().add("retry-after-ms", "5");
    }
    byte[] body = (status == 200 ? "answer" : "no").getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  private ChatClient client(Lane lane) {
    return new ChatClient(
        URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/v1/chat/completions"),
        lane);
  }

  @Test
  void theReadmeShowsTheCompiledExample() throws IOException {
    String example =
        Files.readString(Path.of("src/test/java/dev/weir/limits/example/ChatClient.java"));
    String shown = example.substring(example.indexOf("/** Asks a chat API"));
    assertThat(Files.readString(Path.of("README.md"))).contains("```java\n" + shown + "```");
  }

  @Test
  void theExampleIsAnsweredDespiteRefusals() throws Exception {
    Time time = Time.system();
    var regulator = Regulator.unbounded(time, new SplittableRandom(time.freshSeed()));
    Lane lane = regulator.lane("openai/gpt-4o-mini", new Mode.Pace(PaceSettings.defaults()));
    ChatClient client = client(lane);
    List<Notice> told = Collections.synchronizedList(new ArrayList<>());
    try (var _ = regulator.subscribe(told::add)) {
      List<Task<String>> asking = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        asking.add(time.start("asking-" + i, () -> client.ask("{}")));
      }
      for (Task<String> task : asking) {
        assertThat(task.join()).isEqualTo("answer");
      }
    }
    assertThat(requests.get()).isGreaterThan(8);
    assertThat(told).anyMatch(notice -> notice.event() instanceof LimitEvent.RateLimitHit);
    assertThat(lane.status().inFlight()).isZero();
  }

  @Test
  void anAccountWithoutCreditStopsTheLane() throws Exception {
    Time time = Time.system();
    Lane lane =
        Regulator.unbounded(time, new SplittableRandom(1))
            .lane("openai/gpt-4o-mini", new Mode.Static(2));
    credit = 1;
    ChatClient client = client(lane);
    assertThat(client.ask("{}")).isEqualTo("answer");
    assertThatIllegalStateException().isThrownBy(() -> client.ask("{}"));
    assertThatExceptionOfType(StoppedException.class).isThrownBy(() -> client.ask("{}"));
    assertThat(requests).hasValue(2);
  }
}
