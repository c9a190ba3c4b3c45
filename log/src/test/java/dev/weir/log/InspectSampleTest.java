package dev.weir.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class InspectSampleTest {

  @Test
  void whatWeirWroteComesBackAsItWas() {
    SampleResult sample = LogFixtures.sample("Naïve \"question\"\n?");

    assertThat(InspectSampleReader.read(json(sample))).isEqualTo(sample);
  }

  @Test
  void theShortFormOfMostSamplesIsWhatTheWholeBeginsWith() {
    begins(plain("Wo liegt Köln? 😀"));
    begins(plain("a pair that was cut \uD83D"));
    begins(plain("köln \uD83D"));
    SampleResult plain = plain("?");
    begins(WrittenLogContractTest.with(plain, Optional.empty(), true));
  }

  private static void begins(SampleResult sample) {
    InspectSampleWriter.Whole whole = InspectSampleWriter.whole(sample, SampleIds.NONE);
    SampleKey key = whole.key();

    String head = new String(whole.json(), 0, key.headLength(), UTF_8);
    String end =
        new String(
            InspectSampleWriter.summaryEnd(key.summary(), key.messages(), key.turns()), UTF_8);

    assertThat(head + end)
        .isEqualTo(new String(InspectSampleWriter.summary(sample, SampleIds.NONE), UTF_8));
    assertThat(key.headLength()).isPositive();
    JsonNode summary = LogJson.LINES.readTree(head + end);
    assertThat(summary.path("input").asString()).isEqualTo(whole(sample.input()));
    assertThat(summary.has("error")).isEqualTo(sample.cancelled());
  }

  /** What no encoding has becomes a question mark. */
  private static String whole(String text) {
    return new String(text.getBytes(UTF_8), UTF_8);
  }

  @Test
  void whenSomethingEndedIsToldToTheMicrosecondOfItsBeginning() {
    var random = new Random(15);
    for (int i = 0; i < 10_000; i++) {
      var start = Instant.ofEpochSecond(random.nextInt() * 10L, random.nextInt(1_000_000_000));
      long nanos = random.nextLong() >>> (14 + random.nextInt(50));
      assertThat(InspectEvents.after(start, nanos / 1e9))
          .isEqualTo(start.truncatedTo(ChronoUnit.MICROS).plusNanos(nanos));
    }
  }

  @Test
  void whatIsLongOrFailedHasAShortFormOfItsOwn() {
    SampleResult isLong = plain("x".repeat(6_000));
    SampleResult isLimited = LogFixtures.sample("?");

    assertThat(InspectSampleWriter.whole(isLong, SampleIds.NONE).key().headLength()).isZero();
    assertThat(InspectSampleWriter.summary(isLong, SampleIds.NONE)).hasSizeLessThan(6_000);
    assertThat(InspectSampleWriter.whole(isLimited, SampleIds.NONE).key().headLength()).isZero();
    assertThat(new String(InspectSampleWriter.summary(isLimited, SampleIds.NONE), UTF_8))
        .contains("\"limit\":\"token\"", "\"retries\":1");
  }

  @Test
  void whatCannotBeWrittenIsToldInItsPlace() {
    Map<String, Object> store = new LinkedHashMap<>();
    store.put("fine", List.of(1, 2));
    Map<String, Object> cycle = new HashMap<>();
    cycle.put("again", cycle);
    store.put("cycle", cycle);
    Map<@Nullable String, Object> nameless = new HashMap<>();
    nameless.put(null, 1);
    store.put("nameless", nameless);
    Map<String, Object> deep = Map.of();
    for (int i = 0; i < 450; i++) {
      deep = Map.of("in", deep);
    }
    store.put("deep", deep);
    SampleResult sample = plain("?");

    JsonNode json = json(withStore(sample, store));

    assertThat(json.path("store").path("fine").size()).isEqualTo(2);
    for (String name : List.of("cycle", "nameless", "deep")) {
      assertThat(json.path("store").path(name).asString()).startsWith("[not written: ");
    }
  }

  @Test
  void whatIsTooLargeKeepsItsScores() {
    SampleResult lean = LogFixtures.sample("?").withoutConversation("left out: too large");

    SampleResult back = InspectSampleReader.read(json(lean));
    assertThat(back.score()).contains(1.0);
    assertThat(back.output()).as("for other scorers").isEqualTo(LogFixtures.sample("?").output());
    assertThat(back.messages()).isEmpty();
    assertThat(back.notes())
        .containsExactly(
            new SampleResult.Note(LogFixtures.STARTED, 0, "log", "left out: too large"));
  }

  @Test
  void theKeyOfASampleComesBackAsItWas() throws IOException {
    SampleKey key = InspectSampleWriter.whole(plain("?"), SampleIds.NONE).key();

    assertThat(SampleKey.read(key.bytes())).isEqualTo(key);
  }

  /** Asked once, answered, scored. */
  private static SampleResult plain(String input) {
    return withStore(LogFixtures.sample(input), Map.of());
  }

  private static SampleResult withStore(SampleResult rich, Map<String, Object> store) {
    return changed(rich, rich.started(), store);
  }

  private static SampleResult changed(
      SampleResult rich, Instant started, Map<String, Object> store) {
    return new SampleResult(
        rich.id(),
        rich.epoch(),
        rich.contentHash(),
        started,
        rich.input(),
        rich.targets(),
        List.of("yes", "no"),
        rich.metadata(),
        rich.messages(),
        List.of(),
        List.of(rich.calls().getFirst()),
        List.of(),
        StateHistory.NONE,
        rich.output(),
        rich.stopReason(),
        store,
        rich.scores(),
        Optional.empty(),
        Optional.empty(),
        false,
        List.of(),
        Optional.empty(),
        0,
        List.of(),
        rich.tokens(),
        rich.cost(),
        0,
        List.of(),
        rich.times());
  }

  @Test
  void inspectCountsCachedTokensApart() {
    JsonNode usage = json(LogFixtures.sample("?")).path("model_usage").path("sim/demo");

    assertThat(usage.path("input_tokens").asInt()).isEqualTo(5);
    assertThat(usage.path("input_tokens_cache_read").asInt()).isEqualTo(3);
    assertThat(usage.path("total_tokens").asInt()).isEqualTo(14);
    assertThat(usage.path("total_cost").asDouble()).isEqualTo(0.25);
  }

  @Test
  void eventsStandInTheOrderOfTime() {
    JsonNode events = json(LogFixtures.sample("?")).path("events");

    assertThat(events.findValuesAsString("event"))
        .containsExactly(
            "sample_init",
            "model",
            "tool",
            "info",
            "state",
            "model",
            "sample_limit",
            "score",
            "info");
    assertThat(events.path(3).path("timestamp").asString()).startsWith("2026-11-15T10:11:13.7");
  }

  /** Inspect's records of a limit have no place for how much was used. */
  @Test
  void theMessageOfALimitTellsHowMuchWasUsed() {
    JsonNode events = json(LogFixtures.sample("?")).path("events");
    assertThat(events.path(6).path("message").asString()).isEqualTo("too many (12 of 10)");
  }

  @Test
  void modelEventsTellWhatTheModelWasAskedWith() {
    JsonNode asked = json(LogFixtures.sample("?")).path("events").path(1);

    assertThat(asked.path("config").path("temperature").asDouble()).isEqualTo(0.5);
    assertThat(asked.path("tool_choice").asString()).isEqualTo("auto");
    JsonNode parameters = asked.path("tools").path(0).path("parameters");
    assertThat(parameters.path("properties").propertyNames())
        .containsExactly("cmd", "shell", "more");
    JsonNode cmd = parameters.path("properties").path("cmd");
    assertThat(cmd.path("minLength").asInt()).isEqualTo(1);
    assertThat(cmd.has("$ref")).isFalse();
    // Not only texts: Inspect would not read the log.
    assertThat(parameters.path("required").isEmpty()).isTrue();
    JsonNode more = parameters.path("properties").path("more").path("anyOf");
    assertThat(more.path(0).has("type")).isFalse();
    assertThat(more.path(1).path("items").path("minimum").asInt(-1)).isZero();
  }

  @Test
  void aSampleEndsAtTheSameTimeOnceItIsRead() {
    Instant odd = LogFixtures.STARTED.plusNanos(1_900);
    JsonNode first = json(changed(LogFixtures.sample("?"), odd, Map.of()));

    JsonNode second = json(InspectSampleReader.read(first));

    assertThat(second).isEqualTo(first);
  }

  @Test
  void aHeaderComesBackAsItWas() {
    RunStart start = LogFixtures.start("capitals");
    RunResult result = LogFixtures.result(start);
    JsonNode header =
        InspectHeaderWriter.header(
            result,
            List.of(new LimitChange(Instant.EPOCH, "sim/demo", 8, 4, "overload")),
            List.of());

    assertThat(InspectHeaderReader.start(header)).isEqualTo(start);
    assertThat(InspectHeaderReader.end(header, start)).contains(result);
    assertThat(header.path("stats").path("connection_limit_history").path(0).path("reason"))
        .hasToString("\"rate_limit\"");
    assertThat(InspectHeaderReader.start(InspectHeaderWriter.start(start))).isEqualTo(start);
  }

  private static JsonNode json(SampleResult sample) {
    return LogJson.LINES.readTree(InspectSampleWriter.whole(sample, SampleIds.NONE).json());
  }
}
