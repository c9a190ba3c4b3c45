package dev.weir.providers.openai;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.header.ResponseFacts;
import dev.weir.model.Adapter;
import dev.weir.model.Response;
import dev.weir.model.spi.HttpAdapter;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/**
 * What errors mean that were documented or observed; each line of the resource says where. They
 * come over a real connection, and once more as bytes that somebody else received.
 */
class RecordedRefusalsTest {

  private static RecordedServer server;

  @BeforeAll
  static void start() throws Exception {
    server = new RecordedServer();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  static Stream<Recorded> recorded() throws Exception {
    List<Recorded> all = new ArrayList<>();
    try (InputStream in = RecordedRefusalsTest.class.getResourceAsStream("/openai/refusals.json")) {
      for (JsonNode line :
          RecordedServer.json(new String(in.readAllBytes(), StandardCharsets.UTF_8))) {
        all.add(Recorded.of(line));
      }
    }
    return all.stream();
  }

  @ParameterizedTest
  @MethodSource("recorded")
  void meansWhatItMeans(Recorded recorded) throws Exception {
    server.says(recorded.status(), recorded.headers(), recorded.body());
    Adapter adapter = server.open(recorded.model());

    Response response = adapter.exchange(RecordedServer.question());

    assertThat(word(response)).isEqualTo(recorded.means());
    assertThat(response.origin().status()).hasValue(recorded.status());
    assertThat(((Response.Failure) response).message()).isNotBlank();
    if (!recorded.after().isEmpty()) {
      assertThat(facts(response).serverWait()).contains(Duration.parse(recorded.after()));
    }
    if (!recorded.kind().isEmpty()) {
      assertThat(facts(response).limitKind()).contains(recorded.kind());
    }
    if (recorded.status() != 200) {
      Map<String, List<String>> headers = new LinkedHashMap<>();
      recorded.headers().forEach((name, value) -> headers.put(name, List.of(value)));
      assertThat(
              ((HttpAdapter) adapter)
                  .classify(
                      recorded.status(),
                      "",
                      headers,
                      recorded.body().getBytes(StandardCharsets.UTF_8))
                  .map(RecordedRefusalsTest::word))
          .contains(recorded.means());
    }
  }

  private static ResponseFacts facts(Response response) {
    return switch (response) {
      case Response.RateLimited limited -> limited.facts();
      case Response.Overloaded overloaded -> overloaded.facts();
      default -> ResponseFacts.NONE;
    };
  }

  private static String word(Response response) {
    String kind = response.getClass().getSimpleName();
    return switch (response) {
      case Response.InvalidRequest invalid -> kind + " " + invalid.reach();
      case Response.Authentication unknown -> kind + " " + unknown.reach();
      case Response.QuotaExhausted exhausted -> kind + " " + exhausted.reach();
      default -> kind;
    };
  }

  /**
   * One recorded error.
   *
   * @param means the kind of failure and how far it reaches
   * @param after what the server asks to wait; empty if it does not matter
   * @param kind which limit it names; empty if it does not matter
   */
  record Recorded(
      String model,
      String source,
      int status,
      Map<String, String> headers,
      String body,
      String means,
      String after,
      String kind) {

    static Recorded of(JsonNode line) {
      Map<String, String> headers = new LinkedHashMap<>();
      for (String name : line.path("headers").propertyNames()) {
        headers.put(name, line.path("headers").path(name).asString());
      }
      JsonNode body = line.path("body");
      return new Recorded(
          line.path("model").asString(),
          line.path("source").asString(),
          line.path("status").asInt(),
          headers,
          body.isString() ? body.asString() : body.toString(),
          line.path("means").asString(),
          line.path("wait").asString(""),
          line.path("kind").asString(""));
    }

    @Override
    public String toString() {
      return model + " " + status + " → " + means + " (" + source + ")";
    }
  }
}
