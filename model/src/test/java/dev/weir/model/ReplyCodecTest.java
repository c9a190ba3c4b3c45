package dev.weir.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReplyCodecTest {

  private static final ModelName MODEL = ModelName.parse("a/b");

  @Test
  void anyReplyComesBackAsItWasButForItsBodies() {
    var random = new SplittableRandom(3);
    List<StopReason> stops = List.of(StopReason.values());
    for (int round = 0; round < 500; round++) {
      List<ToolCall> calls = new ArrayList<>();
      for (int i = random.nextInt(4); i > 0; i--) {
        calls.add(new ToolCall(text(random), text(random), text(random)));
      }
      var message =
          new Message.Assistant(
              text(random),
              text(random),
              calls,
              random.nextBoolean()
                  ? Optional.of(new Message.NativeForm(text(random), text(random)))
                  : Optional.empty());
      StopReason stop = stops.get(random.nextInt(stops.size()));
      var usage =
          new Usage(
              random.nextLong(1L << 40),
              random.nextLong(100),
              random.nextLong(100),
              random.nextLong(100),
              random.nextLong(100));
      OptionalInt status = random.nextBoolean() ? OptionalInt.of(200) : OptionalInt.empty();
      Optional<String> id = random.nextBoolean() ? Optional.of(text(random)) : Optional.empty();
      var sent = new Origin(MODEL, status, "OK", id, 5, 7, Optional.of(new Origin.Raw("{}", "{}")));
      var kept = new Origin(MODEL, status, "", id, 0, 0, Optional.empty(), true);
      String written = ReplyCodec.encode(new Response.Reply(message, stop, usage, sent));
      assertThat(written.chars()).as("round %s", round).allMatch(c -> c < 128);
      assertThat(ReplyCodec.decode(written, MODEL))
          .as("round %s", round)
          .contains(new Response.Reply(message, stop, usage, kept));
    }
  }

  /** Whatever a text may hold, halves of surrogate pairs and control characters included. */
  private static String text(SplittableRandom random) {
    var text = new StringBuilder();
    for (int i = random.nextInt(30); i > 0; i--) {
      text.append((char) (random.nextBoolean() ? random.nextInt(256) : random.nextInt(0x10000)));
    }
    return text.toString();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "null",
        "[]",
        "{}",
        "{\"format\":2}",
        "{\"format\":1}",
        "{\"format\":1,\"message\":{},\"stop\":\"stop\",\"usage\":[1,2,0,0,0]}",
        "{\"format\":1,\"message\":{\"text\":\"\"},\"stop\":\"soon\",\"usage\":[1,2,0,0,0]}",
        "{\"format\":1,\"message\":{\"text\":\"\"},\"stop\":\"stop\",\"usage\":[1,2,0,0]}",
        "{\"format\":1,\"message\":{\"text\":\"\"},\"stop\":\"stop\",\"usage\":[-1,2,0,0,0]}",
        "{\"format\":1,\"message\":{\"text\":\"\",\"calls\":[[]]},\"stop\":\"stop\",\"usage\":[1,2,0,0,0]}"
      })
  void whatIsOfAnotherFormIsAbsent(String text) {
    assertThat(ReplyCodec.decode(text, MODEL)).isEmpty();
  }

  @Test
  void whatALaterVersionAddsIsOverlooked() {
    assertThat(
            ReplyCodec.decode(
                "{\"format\":1,\"new\":1,\"message\":{\"text\":\"x\",\"new\":2},"
                    + "\"stop\":\"stop\",\"usage\":[1,2,0,0,0,9]}",
                MODEL))
        .isPresent();
  }
}
