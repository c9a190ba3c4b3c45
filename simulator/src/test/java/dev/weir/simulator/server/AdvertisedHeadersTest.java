package dev.weir.simulator.server;

import static dev.weir.simulator.server.RunningSimulator.chat;
import static dev.weir.simulator.server.RunningSimulator.json;
import static dev.weir.simulator.server.RunningSimulator.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

import dev.weir.simulator.provider.Advertisement;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** {@code --advertise}, {@code --stray-rate} and {@code --hang-time} as clients meet them. */
@Timeout(60)
class AdvertisedHeadersTest {

  private static final String CHAT = "/v1/chat/completions";
  private static final String MESSAGES = "/v1/messages";
  private static final String GEMINI = "/v1beta/models/m:generateContent";
  private static final String CONVERSE = "/model/m/converse";

  private final List<RunningSimulator> running = new ArrayList<>();

  @AfterEach
  void close() {
    running.forEach(RunningSimulator::close);
  }

  private RunningSimulator start(String... settings) throws Exception {
    RunningSimulator simulator = RunningSimulator.with(settings);
    running.add(simulator);
    return simulator;
  }

  private static String body(String path) {
    return switch (path) {
      case CHAT -> chat("x", "");
      case MESSAGES -> message("x", "");
      case GEMINI -> "{\"contents\":[{\"parts\":[{\"text\":\"x\"}]}]}";
      default -> "{\"messages\":[{\"role\":\"user\",\"content\":[{\"text\":\"x\"}]}]}";
    };
  }

  private static String header(HttpResponse<String> response, String name) {
    return response.headers().firstValue(name).orElse("");
  }

  private static Instant date(HttpResponse<String> response) {
    return ZonedDateTime.parse(header(response, "date"), DateTimeFormatter.RFC_1123_DATE_TIME)
        .toInstant();
  }

  @ParameterizedTest
  @ValueSource(strings = {CHAT, MESSAGES, GEMINI, CONVERSE})
  void everyApiAdvertisesInTheGivenWay(String path) throws Exception {
    RunningSimulator simulator = start("rpm=60", "burst=1", "advertise=openai-rate");
    HttpResponse<String> answer = simulator.post(path, body(path));
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(header(answer, "x-ratelimit-limit-requests")).as("the rate").isEqualTo("60");
    assertThat(header(answer, "x-ratelimit-remaining-requests")).isEqualTo("0");
    assertThat(answer.headers().map()).doesNotContainKey("anthropic-ratelimit-requests-limit");
    HttpResponse<String> refusal = simulator.post(path, body(path));
    assertThat(refusal.statusCode()).isEqualTo(429);
    assertThat(header(refusal, "retry-after")).isEqualTo("1");
    assertThat(refusal.body())
        .as("headers alone say when")
        .doesNotContain("try again in", "retryDelay");
  }

  @ParameterizedTest
  @EnumSource(Advertisement.class)
  void everyWayIsServed(Advertisement way) throws Exception {
    RunningSimulator simulator = start("rpm=60", "burst=1", "advertise=" + way.word());
    HttpResponse<String> answer = simulator.chat("x");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(date(answer))
        .isCloseTo(RunningSimulator.TIME.instant(), within(20, ChronoUnit.SECONDS));
    assertThat(simulator.chat("y").statusCode()).isEqualTo(429);
  }

  @Test
  void aWayThatSaysNothingSaysNothingInTheBodyEither() throws Exception {
    RunningSimulator simulator = start("rpm=60", "burst=1", "advertise=none");
    simulator.chat("x");
    HttpResponse<String> refusal = simulator.chat("y");
    assertThat(refusal.headers().map()).doesNotContainKeys("retry-after", "retry-after-ms");
    assertThat(json(refusal).at("/error/message").asString())
        .isEqualTo("Too many requests. Please slow down.");
  }

  @Test
  void aTokenQuotaThatIsUsedUpIsNoRequestThatIsTooLarge() throws Exception {
    RunningSimulator simulator = start("tpm=60:100", "advertise=openai");
    simulator.post(CHAT, chat("x", ",\"max_tokens\":90"));
    HttpResponse<String> refusal = simulator.post(CHAT, chat("x", ",\"max_tokens\":95"));
    assertThat(refusal.statusCode()).isEqualTo(429);
    assertThat(json(refusal).at("/error/message").asString())
        .isEqualTo("Rate limit reached for m on tokens per min (TPM).");
    HttpResponse<String> tooLarge = simulator.post(CHAT, chat("x", ",\"max_tokens\":900"));
    assertThat(json(tooLarge).at("/error/message").asString()).startsWith("Request too large");
    assertThat(tooLarge.headers().map()).doesNotContainKey("retry-after");
  }

  /** The bucket is full a second after admission, and the answer is sent two seconds after it. */
  @ParameterizedTest
  @CsvSource({"anthropic, anthropic-ratelimit-requests-reset", "epoch, x-ratelimit-reset"})
  void resetsCountFromAdmissionAndDatesFromSending(String way, String name) throws Exception {
    RunningSimulator simulator =
        start("rpm=60", "burst=10", "latency=2s", "advertise=" + way, "seed=1");
    Instant begun = RunningSimulator.TIME.instant();
    HttpResponse<String> answer = simulator.chat("x");
    Instant ended = RunningSimulator.TIME.instant();
    String text = header(answer, name);
    Instant reset =
        way.equals("epoch") ? Instant.ofEpochSecond(Long.parseLong(text)) : Instant.parse(text);
    assertThat(date(answer)).isBetween(begun.plusSeconds(2).truncatedTo(ChronoUnit.SECONDS), ended);
    assertThat(Duration.between(reset, date(answer)))
        .as("one second of the difference, rounded to seconds on either side")
        .isBetween(Duration.ZERO, Duration.ofSeconds(2));
    assertThat(reset).isBefore(begun.plusSeconds(3));
  }

  @Test
  void aStreamIsDatedByItsFirstToken() throws Exception {
    RunningSimulator simulator = start("rpm=60", "latency=3s", "advertise=openai");
    Instant begun = RunningSimulator.TIME.instant();
    HttpResponse<String> answer = simulator.post(CHAT, chat("x", ",\"stream\":true"));
    assertThat(date(answer))
        .isBetween(
            begun.plusMillis(900).truncatedTo(ChronoUnit.SECONDS),
            RunningSimulator.TIME.instant().minusMillis(1_900));
  }

  @Test
  void straysAreCountedAmongTheRefusals() throws Exception {
    RunningSimulator simulator = start("stray-rate=1", "headers=none");
    assertThat(simulator.chat("x").statusCode()).isEqualTo(429);
    JsonNode stats = simulator.stats();
    assertThat(stats.at("/refusals/stray").asInt()).isEqualTo(1);
    assertThat(stats.at("/refusals/total").asInt()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ",\"stream\":true"})
  void theServerClosesHungConnections(String stream) throws Exception {
    RunningSimulator simulator = start("hang-rate=1", "hang-time=50ms", "cap=1");
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> simulator.post(CHAT, chat("x", stream)));
    JsonNode stats = simulator.awaitStats(s -> s.at("/in_flight").asInt() == 0);
    // The JDK's client sends again what was closed without an answer.
    assertThat(stats.at("/hung").asInt()).isPositive();
    assertThat(stats.at("/cancelled").asInt()).isZero();
  }
}
