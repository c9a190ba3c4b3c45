package dev.weir.providers.openai;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.header.Dimension;
import dev.weir.model.Adapter;
import dev.weir.model.GenerationSettings;
import dev.weir.model.ModelName;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.StopReason;
import dev.weir.model.spi.Providers;
import dev.weir.model.spi.Surroundings;
import dev.weir.simulator.server.Given;
import dev.weir.simulator.server.Setting;
import dev.weir.simulator.server.Simulation;
import dev.weir.simulator.server.SimulatorServer;
import dev.weir.time.Time;
import dev.weir.web.WebSettings;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Chat completions against the simulator, which counts and refuses as a provider does. */
class SimulatorExchangeTest {

  private static final Time TIME = Time.system();

  private static SimulatorServer simulator(Map<Setting, String> settings) throws Exception {
    Map<Setting, List<Given>> given = new EnumMap<>(Setting.class);
    given.put(Setting.LATENCY, List.of(new Given("test", "1ms")));
    settings.forEach((setting, word) -> given.put(setting, List.of(new Given("test", word))));
    return SimulatorServer.start(
        TIME, WebSettings.loopback(0), Simulation.of(Optional.empty(), given, 7));
  }

  private static Adapter open(SimulatorServer simulator, String model, String... arguments) {
    ModelName name = ModelName.parse(model);
    return Providers.find(name)
        .open(
            name,
            RecordedServer.arguments(arguments),
            new Surroundings(
                TIME,
                1,
                Map.of("OPENAI_API_KEY", RecordedServer.KEY),
                Optional.of(simulator.address().resolve("/v1"))));
  }

  @Test
  void answersAtOnce() throws Exception {
    try (SimulatorServer simulator = simulator(Map.of(Setting.API_KEY, RecordedServer.KEY))) {
      Response response =
          open(simulator, "openai/m").exchange(Request.of("Say it. [[target: blue]]"));
      Response.Reply reply = (Response.Reply) response;
      assertThat(reply.message().text()).isNotBlank();
      assertThat(reply.stopReason()).isEqualTo(StopReason.STOP);
      assertThat(reply.usage().inputTokens()).isPositive();
      assertThat(reply.usage().outputTokens()).isPositive();
      assertThat(reply.origin().requestId().orElseThrow()).startsWith("req_sim");
      assertThat(reply.origin().bytesReceived()).isPositive();
    }
  }

  @Test
  void answersInPieces() throws Exception {
    try (SimulatorServer simulator = simulator(Map.of())) {
      var pieces = new Pieces();
      Response.Reply reply =
          (Response.Reply)
              open(simulator, "openai/m")
                  .exchange(
                      Request.of("Tell me about the sea. [[target: the sea is wide]]"), pieces);
      assertThat(pieces.chunks).hasSizeGreaterThan(1);
      assertThat(reply.message().text()).isEqualTo(pieces.text()).isNotBlank();
      assertThat(reply.usage().outputTokens()).isPositive();
    }
  }

  @Test
  void stopsAtTheMostTokens() throws Exception {
    try (SimulatorServer simulator = simulator(Map.of())) {
      Request request =
          Request.of("Say it. [[target: one two three four five six seven eight nine ten]]")
              .with(GenerationSettings.NONE.withMaxTokens(1));
      Response.Reply reply = (Response.Reply) open(simulator, "openai/m").exchange(request);
      assertThat(reply.stopReason()).isEqualTo(StopReason.MAX_TOKENS);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void tellsItsLimitsAndRefusesBeyondThem(boolean stream) throws Exception {
    try (SimulatorServer simulator = simulator(Map.of(Setting.RPM, "6", Setting.BURST, "1"))) {
      Adapter adapter = open(simulator, "openai/m", "stream=" + stream);
      var first = new Pieces();
      assertThat(adapter.exchange(Request.of("hello"), first)).isInstanceOf(Response.Reply.class);
      assertThat(first.facts.getFirst().quotas())
          .anySatisfy(
              quota -> {
                assertThat(quota.dimension()).isEqualTo(Dimension.REQUESTS);
                assertThat(quota.limit()).hasValue(1);
                assertThat(quota.remaining()).hasValue(0);
              });

      Response refused = adapter.exchange(Request.of("hello"));
      assertThat(refused)
          .isInstanceOfSatisfying(
              Response.RateLimited.class,
              limited -> {
                assertThat(limited.facts().limitKind()).contains("requests");
                assertThat(limited.facts().serverWait().orElseThrow())
                    .isBetween(Duration.ofSeconds(1), Duration.ofSeconds(10));
                assertThat(limited.origin().status()).hasValue(429);
              });
    }
  }

  @Test
  void aWrongCredentialIsNeverSeenAgain() throws Exception {
    try (SimulatorServer simulator = simulator(Map.of(Setting.API_KEY, "another-key"))) {
      Response response = open(simulator, "openai/m").exchange(Request.of("hello"));
      assertThat(response).isInstanceOf(Response.Authentication.class);
      assertThat(response.toString()).doesNotContain(RecordedServer.KEY);
    }
  }

  @Test
  void anOverloadIsNotARefusalOfTooMuch() throws Exception {
    try (SimulatorServer simulator = simulator(Map.of(Setting.OVERLOAD, "0s+1h:1"))) {
      assertThat(open(simulator, "openai/m").exchange(Request.of("hello")))
          .isInstanceOf(Response.Overloaded.class);
    }
  }

  @Test
  void aRequestLargerThanTheBucketIsInvalid() throws Exception {
    try (SimulatorServer simulator = simulator(Map.of(Setting.TPM, "100"))) {
      Request request = Request.of("hello").with(GenerationSettings.NONE.withMaxTokens(5_000));
      assertThat(open(simulator, "openai/m").exchange(request))
          .isInstanceOf(Response.InvalidRequest.class);
    }
  }

  @Test
  void aServerThatIsNotThereIsTransient() throws Exception {
    Adapter adapter;
    try (SimulatorServer simulator = simulator(Map.of())) {
      adapter = open(simulator, "openai/m");
    }
    assertThat(adapter.exchange(Request.of("hello"))).isInstanceOf(Response.Transient.class);
  }
}
