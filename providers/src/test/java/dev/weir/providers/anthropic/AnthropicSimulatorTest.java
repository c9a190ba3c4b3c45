package dev.weir.providers.anthropic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.header.Dimension;
import dev.weir.limits.retry.Outcome;
import dev.weir.model.Chunk;
import dev.weir.model.GenerationSettings;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.StopReason;
import dev.weir.model.spi.HttpAdapter;
import dev.weir.providers.replay.Opened;
import dev.weir.simulator.server.Given;
import dev.weir.simulator.server.Setting;
import dev.weir.simulator.server.Simulation;
import dev.weir.simulator.server.SimulatorServer;
import dev.weir.time.Time;
import dev.weir.web.WebSettings;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The provider against the simulator's Messages API, over a real connection. */
class AnthropicSimulatorTest {

  private static final Request REQUEST =
      Request.of("What is 6 times 7? [[target: 42]]")
          .with(GenerationSettings.NONE.withMaxTokens(200));

  @Test
  void getsAWholeAnswer() throws Exception {
    try (SimulatorServer server = simulator(Map.of(Setting.ACCURACY, "1"))) {
      Response.Reply reply =
          (Response.Reply) model(server, Map.of("stream", "false")).exchange(REQUEST);

      assertThat(reply.message().text()).contains("42");
      assertThat(reply.stopReason()).isEqualTo(StopReason.STOP);
      assertThat(reply.usage().inputTokens()).isPositive();
      assertThat(reply.usage().outputTokens()).isPositive();
      assertThat(reply.origin().requestId()).isPresent();
    }
  }

  @Test
  void streamsWithoutBeingAsked() throws Exception {
    try (SimulatorServer server = simulator(Map.of(Setting.ACCURACY, "1"))) {
      Response.Reply reply = (Response.Reply) model(server, Map.of()).exchange(REQUEST);

      assertThat(reply.message().text()).contains("42");
      assertThat(reply.origin().raw().orElseThrow().response()).contains("event: message_stop");
    }
  }

  @Test
  void handsOverPiecesAndFacts() throws Exception {
    try (SimulatorServer server = simulator(Map.of(Setting.RPM, "600"))) {
      var pieces = new Opened.Pieces();

      Response.Reply reply = (Response.Reply) model(server, Map.of()).exchange(REQUEST, pieces);

      assertThat(pieces.chunks()).isNotEmpty().allMatch(Chunk.Text.class::isInstance);
      assertThat(
              pieces.chunks().stream()
                  .map(chunk -> ((Chunk.Text) chunk).text())
                  .collect(Collectors.joining()))
          .isEqualTo(reply.message().text());
      assertThat(pieces.facts()).hasSize(1);
      assertThat(pieces.facts().getFirst().quotas())
          .anyMatch(
              quota -> quota.dimension() == Dimension.REQUESTS && quota.limit().orElse(0) == 600);
    }
  }

  @Test
  void isToldHowLongToWait() throws Exception {
    try (SimulatorServer server = simulator(Map.of(Setting.RPM, "1", Setting.BURST, "1"))) {
      HttpAdapter model = model(server, Map.of());
      assertThat(model.exchange(REQUEST)).isInstanceOf(Response.Reply.class);
      var pieces = new Opened.Pieces();

      Response refused = model.exchange(REQUEST, pieces);

      assertThat(pieces.facts()).as("what a refusal says is no header of an answer").isEmpty();
      assertThat(refused)
          .isInstanceOfSatisfying(
              Response.RateLimited.class,
              limited -> {
                assertThat(limited.facts().serverWait()).isPresent();
                assertThat(limited.facts().quotas()).isNotEmpty();
                assertThat(limited.origin().status()).hasValue(429);
              });
    }
  }

  @Test
  void isRefusedWithAWrongCredential() throws Exception {
    try (SimulatorServer server = simulator(Map.of(Setting.API_KEY, "another"))) {
      assertThat(model(server, Map.of()).exchange(REQUEST))
          .isInstanceOfSatisfying(
              Response.Authentication.class,
              unknown -> assertThat(unknown.reach()).isEqualTo(Outcome.Reach.ACCOUNT));
    }
  }

  @Test
  void isWelcomeWithTheRightOne() throws Exception {
    try (SimulatorServer server = simulator(Map.of(Setting.API_KEY, "sk-ant-1"))) {
      assertThat(model(server, Map.of()).exchange(REQUEST)).isInstanceOf(Response.Reply.class);
    }
  }

  @Test
  void tellsAFaultFromAnOverload() throws Exception {
    try (SimulatorServer faulty = simulator(Map.of(Setting.ERROR_RATE, "1"));
        SimulatorServer full = simulator(Map.of(Setting.OVERLOAD, "0s+1h:1"))) {
      assertThat(model(faulty, Map.of()).exchange(REQUEST)).isInstanceOf(Response.Transient.class);
      assertThat(model(full, Map.of()).exchange(REQUEST)).isInstanceOf(Response.Overloaded.class);
    }
  }

  private static SimulatorServer simulator(Map<Setting, String> settings) throws Exception {
    Map<Setting, List<Given>> given = new EnumMap<>(Setting.class);
    given.put(Setting.LATENCY, List.of(new Given("test", "1ms")));
    settings.forEach((setting, word) -> given.put(setting, List.of(new Given("test", word))));
    return SimulatorServer.start(
        Time.system(), WebSettings.loopback(0), Simulation.of(Optional.empty(), given, 7));
  }

  private static HttpAdapter model(SimulatorServer server, Map<String, String> arguments) {
    return Opened.model(
        "anthropic/claude-opus-4-5",
        arguments,
        Map.of("ANTHROPIC_API_KEY", "sk-ant-1"),
        server.address());
  }
}
