package dev.weir.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class InspectSampleTest {

  @Test
  void whatWeirWroteComesBackAsItWas() {
    SampleResult sample = LogFixtures.sample("Naïve \"question\"\n?");

    assertThat(InspectSampleReader.read(InspectSampleWriter.whole(sample))).isEqualTo(sample);
  }

  @Test
  void inspectCountsCachedTokensApart() {
    JsonNode usage =
        InspectSampleWriter.whole(LogFixtures.sample("?")).path("model_usage").path("sim/demo");

    assertThat(usage.path("input_tokens").asInt()).isEqualTo(5);
    assertThat(usage.path("input_tokens_cache_read").asInt()).isEqualTo(3);
    assertThat(usage.path("total_tokens").asInt()).isEqualTo(14);
    assertThat(usage.path("total_cost").asDouble()).isEqualTo(0.25);
  }

  @Test
  void eventsStandInTheOrderOfTime() {
    JsonNode events = InspectSampleWriter.whole(LogFixtures.sample("?")).path("events");

    assertThat(events.findValuesAsString("event"))
        .containsExactly(
            "sample_init", "model", "tool", "model", "info", "sample_limit", "score", "info");
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
}
