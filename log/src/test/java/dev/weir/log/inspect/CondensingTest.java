package dev.weir.log.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class CondensingTest {

  private static final String LONG = "long ".repeat(30);

  private static byte[] bytes(String json) {
    return json.replace('\'', '"').replace("LONG", LONG).getBytes(StandardCharsets.UTF_8);
  }

  private static JsonNode tree(byte[] json) {
    return InspectJson.MAPPER.readTree(json);
  }

  private static JsonNode condensed(String json) throws IOException {
    byte[] condensed = Condensing.condense(bytes(json));
    JsonNode expected = tree(bytes(json));
    JsonNode found = tree(Condensing.resolve(condensed));
    assertThat(found.path("events")).isEqualTo(expected.path("events"));
    assertThat(found.has("events_data")).isFalse();
    return tree(condensed);
  }

  @Test
  void longTextsOfEventsAreKeptOnce() throws IOException {
    JsonNode sample =
        condensed(
            "{'input':'LONG','events':[{'event':'info','data':{'a':['LONG','short']}},"
                + "{'event':'state','changes':[{'op':'add','path':'/x','value':'LONG'}]},"
                + "{'event':'tool','arguments':{'x':'LONG'},'result':'LONG'}]}");
    assertThat(sample.path("attachments").size()).isEqualTo(1);
    assertThat(sample.path("attachments").iterator().next().asString()).isEqualTo(LONG);
    assertThat(sample.path("input").asString()).isEqualTo(LONG);
    JsonNode events = sample.path("events");
    assertThat(events.path(0).path("data").path("a").path(0).asString())
        .startsWith("attachment://");
    assertThat(events.path(0).path("data").path("a").path(1).asString()).isEqualTo("short");
    assertThat(events.path(1).path("changes").path(0).path("value").asString())
        .startsWith("attachment://");
    assertThat(events.path(2).path("arguments").path("x").asString()).startsWith("attachment://");
    // Inspect would not put it back there.
    assertThat(events.path(2).path("result").asString()).isEqualTo(LONG);
  }

  @Test
  void messagesOfModelCallsArePooled() throws IOException {
    String first = "{'role':'user','content':'LONG'}";
    String second = "{'role':'assistant','content':[{'type':'text','text':'LONG'}]}";
    String third = "{'role':'user','content':'more'}";
    JsonNode sample =
        condensed(
            ("{'events':[{'event':'model','input':[%s]},"
                 + "{'event':'model','input':[%s,%s,%s],'call':{'request':{'messages':[%s,%s]}}},"
                 + "{'event':'model','input':[%s,%s]},{'event':'model','input':[]}]}")
                .formatted(first, first, second, third, first, third, third, first));
    assertThat(sample.path("events_data").path("messages").size()).isEqualTo(3);
    assertThat(sample.path("events_data").path("calls").size()).isEqualTo(2);
    JsonNode events = sample.path("events");
    assertThat(events.path(0).path("input_refs").toString()).isEqualTo("[[0,1]]");
    assertThat(events.path(1).path("input_refs").toString()).isEqualTo("[[0,3]]");
    assertThat(events.path(1).path("call").path("call_refs").toString()).isEqualTo("[[0,2]]");
    assertThat(events.path(1).path("call").path("call_key").asString()).isEqualTo("messages");
    assertThat(events.path(2).path("input_refs").toString()).isEqualTo("[[2,3],[0,1]]");
    assertThat(events.path(2).path("input").size()).isZero();
    assertThat(events.path(3).has("input_refs")).isFalse();
  }

  @Test
  void condensingTwiceIsCondensingOnce() throws IOException {
    byte[] once =
        Condensing.condense(
            bytes("{'events':[{'event':'model','input':[{'role':'user','content':'LONG'}]}]}"));
    assertThat(tree(Condensing.condense(once))).isEqualTo(tree(once));
  }

  @Test
  void referencesToNothingStay() throws IOException {
    String sample =
        "{'attachments':{'k':'text'},'events':[{'event':'info','data':['attachment://x','attachment://k']},"
            + "{'event':'model','input_refs':[[-5,2],[7,9],'x',[0]]}]}";
    JsonNode resolved = tree(Condensing.resolve(bytes(sample)));
    assertThat(resolved.path("events").path(0).path("data").toString())
        .isEqualTo("[\"attachment://x\",\"text\"]");
    assertThat(resolved.path("events").path(1).path("input").size()).isZero();
  }

  /** A few kilobytes that would become gigabytes. */
  @Test
  void referencesThatMultiplyAreRefused() {
    String pool = "{},".repeat(1_000) + "{}";
    String ranges = "[0,1001],".repeat(10_000) + "[0,1001]";
    String sample =
        "{'events_data':{'messages':[%s]},'events':[{'event':'model','input_refs':[%s]}]}"
            .formatted(pool, ranges);
    assertThatThrownBy(() -> Condensing.resolve(bytes(sample)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("more than 10000000 messages");
    assertThatThrownBy(() -> Condensing.resolve(bytes("[]"))).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> Condensing.condense(bytes("{'a'"))).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> Condensing.resolve(bytes("[".repeat(5_000) + "]".repeat(5_000))))
        .isInstanceOf(IOException.class);
  }
}
