package dev.weir.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.cache.CacheKey;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CacheKeysTest {

  private static final ModelName MODEL = ModelName.parse("openai/gpt-4o");

  private static CacheKeys keys() {
    return new CacheKeys(MODEL, "https://api.openai.com/v1", Map.of());
  }

  /** A bit of everything. */
  private static Request request() {
    return Request.of(
            List.of(
                Message.instructions("Be brief. \u00e4\u4e2d\uD83D\uDE00"),
                new Message.User(
                    List.of(
                        new Content.Text("What is this?"),
                        Content.Image.data("image/png", "AAAA"))),
                new Message.Assistant(
                    "A tool knows.",
                    "hm",
                    List.of(new ToolCall("c1", "look", "{\"x\":1}")),
                    Optional.of(new Message.NativeForm("anthropic", "{\"a\":[]}"))),
                new Message.ToolResult("c1", "look", "a cat", false)))
        .withTools(
            List.of(new Tool("look", "Looks.", "{\"type\":\"object\"}")),
            new ToolChoice.Named("look"))
        .withEpoch(2)
        .with(
            GenerationSettings.NONE
                .withTemperature(0.7)
                .withTopP(0.9)
                .withMaxTokens(100)
                .withSeed(42)
                .withStop(List.of("END"))
                .withResponseSchema(new ResponseSchema("form", "{\"type\":\"object\"}", true))
                .withReasoningEffort(ReasoningEffort.LOW)
                .withExtraBody(Map.of("user", "\"me\"", "logprobs", "true")));
  }

  /**
   * If this fails, every cache in the world is lost: add to the form, never change it. Computed by
   * another program.
   */
  @Test
  void theFormOfKeysIsForEver() {
    assertThat(keys().of(Request.of("What is the capital of France?")).hex())
        .isEqualTo("ded0a53257d01c79072a8f425a4c35cabfd0f5ada58baee094d1456b89f30b23");
    assertThat(keys().of(request()).hex())
        .isEqualTo("75f9256dedd1d57be90a80d58251a5d8521a648cc51865750fefaf052208349a");
    assertThat(new CacheKeys(MODEL, "", Map.of("b", "2", "a", "1")).of(Request.of("Hello?")).hex())
        .isEqualTo("21ac118ff0266b6951017665bcd9f28d97ccf7aa4d89d3a3bab54d30d9609f1d");
  }

  @Test
  void allThatShapesAnAnswerIsInTheKey() {
    Request request = request();
    GenerationSettings settings = request.settings();
    List<Request> others = new ArrayList<>();
    others.add(request);
    others.add(request.withEpoch(3));
    for (GenerationSettings other :
        List.of(
            GenerationSettings.NONE,
            settings.withTemperature(0.70000001),
            settings.withTopP(0.8),
            settings.withMaxTokens(101),
            settings.withSeed(43),
            settings.withStop(List.of("END", "FIN")),
            settings.withStop(List.of("ENDFIN")),
            settings.withResponseSchema(new ResponseSchema("form", "{\"type\":\"object\"}", false)),
            settings.withReasoningEffort(ReasoningEffort.HIGH),
            settings.withExtraBody(Map.of("user", "\"you\"", "logprobs", "true")))) {
      others.add(request.with(other));
    }
    Tool tool = request.tools().getFirst();
    others.add(request.withTools(request.tools(), new ToolChoice.Auto()));
    others.add(request.withTools(request.tools(), new ToolChoice.None()));
    others.add(request.withTools(request.tools(), new ToolChoice.Required()));
    others.add(request.withTools(List.of(tool, tool), request.toolChoice()));
    others.add(request.withTools(List.of(), request.toolChoice()));
    others.add(
        request.withTools(
            List.of(new Tool("look", "Looks!", tool.parameters())), request.toolChoice()));
    List<List<Message>> conversations =
        List.of(
            List.of(Message.user("a")),
            List.of(Message.user("a\n")),
            List.of(Message.user("a"), Message.user("")),
            List.of(Message.instructions("a")),
            List.of(Message.assistant("a")),
            List.of(new Message.Assistant("a", "why", List.of(), Optional.empty())),
            List.of(
                new Message.Assistant(
                    "a", "", List.of(new ToolCall("1", "t", "{}")), Optional.empty())),
            List.of(
                new Message.Assistant(
                    "a", "", List.of(), Optional.of(new Message.NativeForm("w", "{}")))),
            List.of(new Message.ToolResult("1", "t", "a", false)),
            List.of(new Message.ToolResult("1", "t", "a", true)),
            List.of(new Message.User(List.of(new Content.Text("a"), new Content.Text("")))),
            List.of(new Message.User(List.of(new Content.Image("https://a")))),
            List.of(Message.user("https://a")),
            // Half a pair each, which no encoding of text can tell apart.
            List.of(Message.user("\uD800")),
            List.of(Message.user("\uD801")));
    conversations.forEach(conversation -> others.add(Request.of(conversation)));
    Set<CacheKey> different = new HashSet<>();
    others.forEach(other -> different.add(keys().of(other)));
    assertThat(different).hasSameSizeAs(others);
  }

  @Test
  void whoIsAskedWhereAndWithWhatArgumentsIsInTheKey() {
    Request request = request();
    assertThat(
            Set.of(
                keys().of(request),
                new CacheKeys(MODEL, "http://127.0.0.1/v1", Map.of()).of(request),
                new CacheKeys(
                        ModelName.parse("openai/gpt-4"), "https://api.openai.com/v1", Map.of())
                    .of(request),
                new CacheKeys(MODEL, "https://api.openai.com/v1", Map.of("a", "1")).of(request),
                new CacheKeys(MODEL, "https://api.openai.com/v1", Map.of("a", "2")).of(request)))
        .hasSize(5);
  }

  @Test
  void whatAnAdapterSaysThatShapesItsAnswersIsInTheKey() {
    Request request = request();
    assertThat(new CacheKeys(MODEL, "https://api.openai.com/v1", Map.of(), _ -> "").of(request))
        .isEqualTo(keys().of(request));
    var byTarget =
        new CacheKeys(MODEL, "https://api.openai.com/v1", Map.of(), r -> r.target().orElse(""));
    assertThat(
            Set.of(
                byTarget.of(request),
                byTarget.of(request.withTarget("a")),
                byTarget.of(request.withTarget("b"))))
        .hasSize(3);
  }

  @Test
  void howAnAnswerTravelsIsNotInTheKey() {
    assertThat(
            new CacheKeys(MODEL, "https://api.openai.com/v1", Map.of("stream", "true"))
                .of(request()))
        .isEqualTo(keys().of(request()));
  }

  @Test
  void whatDoesNotShapeAnAnswerIsNot() {
    Request request = Request.of("a");
    CacheKey key = keys().of(request);
    assertThat(keys().of(request.withTarget("b"))).isEqualTo(key);
    assertThat(keys().of(request.until(7))).isEqualTo(key);
    assertThat(keys().of(request.withTools(List.of(), new ToolChoice.Required()))).isEqualTo(key);
  }
}
