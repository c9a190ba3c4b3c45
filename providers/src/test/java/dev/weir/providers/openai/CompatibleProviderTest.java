package dev.weir.providers.openai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.model.Adapter;
import dev.weir.model.ConfigurationException;
import dev.weir.model.GenerationSettings;
import dev.weir.model.Message;
import dev.weir.model.ModelName;
import dev.weir.model.ReasoningEffort;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.ToolCall;
import dev.weir.model.Usage;
import dev.weir.model.spi.Surroundings;
import dev.weir.time.Time;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CompatibleProviderTest {

  private static final GenerationSettings SETTINGS =
      GenerationSettings.NONE
          .withMaxTokens(50)
          .withSeed(3)
          .withReasoningEffort(ReasoningEffort.HIGH);

  private static final String PLAIN =
      "{\"choices\":[{\"message\":{\"content\":\"Paris\"},\"finish_reason\":\"stop\"}]}";

  private RecordedServer server;

  @BeforeEach
  void start() throws Exception {
    server = new RecordedServer();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static Adapter open(String model, Map<String, String> environment) {
    return new CompatibleProvider()
        .open(
            ModelName.parse(model),
            Map.of(),
            new Surroundings(Time.system(), 1, environment, Optional.empty()));
  }

  @ParameterizedTest
  @CsvSource({
    "vllm,http://localhost:8000/v1,",
    "sglang,http://localhost:30000/v1,",
    "llama-cpp,http://localhost:8080/v1,",
    "lm-studio,http://localhost:1234/v1,",
    "ollama,http://localhost:11434/v1,",
    "openrouter,https://openrouter.ai/api/v1,OPENROUTER_API_KEY",
    "together,https://api.together.xyz/v1,TOGETHER_API_KEY",
    "groq,https://api.groq.com/openai/v1,GROQ_API_KEY",
    "mistral,https://api.mistral.ai/v1,MISTRAL_API_KEY",
    "deepseek,https://api.deepseek.com,DEEPSEEK_API_KEY",
    "xai,https://api.x.ai/v1,XAI_API_KEY",
    "grok,https://api.x.ai/v1,XAI_API_KEY",
    "fireworks,https://api.fireworks.ai/inference/v1,FIREWORKS_API_KEY",
    "perplexity,https://api.perplexity.ai,PERPLEXITY_API_KEY"
  })
  void knowsWhereServersAreAndWhatTheyAskFor(String name, String usual, String variable) {
    assertThat(new CompatibleProvider().names()).contains(name);
    if (variable == null) {
      assertThat(open(name + "/a/b", Map.of()).endpoint()).isEqualTo(usual);
      assertThat(new CompatibleProvider().help(name)).contains(usual);
    } else {
      assertThatThrownBy(() -> open(name + "/a/b", Map.of()))
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining(variable);
      Adapter adapter = open(name + "/a/b", Map.of(variable, "k"));
      assertThat(adapter.endpoint()).isEqualTo(usual);
      assertThat(adapter.key().model()).isEqualTo("a/b");
      assertThat(new CompatibleProvider().help(name)).contains(variable);
    }
  }

  @Test
  void anyOtherServerNeedsItsAddressAndItsCredential() {
    assertThatThrownBy(() -> open("openai-api/my-host/m", Map.of()))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("MY_HOST_BASE_URL");
    var address = Map.of("MY_HOST_BASE_URL", "https://llm.example.com/v1");
    assertThatThrownBy(() -> open("openai-api/my-host/m", address))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("MY_HOST_API_KEY");
    Adapter adapter =
        open(
            "openai-api/my-host/org/m",
            Map.of(
                "MY_HOST_BASE_URL", "https://llm.example.com/v1/", "MY_HOST_API_KEY", "sk-mine"));
    assertThat(adapter.endpoint()).isEqualTo("https://llm.example.com/v1");
    assertThat(adapter.key().engine()).isEqualTo("my-host");
    assertThat(adapter.key().model()).isEqualTo("org/m");
  }

  @Test
  void namesThatAreNotCompleteAreRefused() {
    for (String model :
        List.of("openai-api/m", "openai-api/x/", "openai-api//m", "openai-api/?/m")) {
      assertThatThrownBy(() -> open(model, Map.of()))
          .as(model)
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining("openai-api/<name>/<model>");
    }
  }

  /** On this machine nobody asks for a credential. */
  @Test
  void aServerOnThisMachineNeedsNoCredential() throws Exception {
    server.says(PLAIN).open("openai-api/my-host/m").exchange(RecordedServer.question());
    assertThat(server.last().header("authorization")).isEmpty();
    server
        .open("openai-api/my-host/m", Map.of("MY_HOST_API_KEY", "sk-mine-012345"))
        .exchange(RecordedServer.question());
    assertThat(server.last().header("authorization")).contains("Bearer sk-mine-012345");
    server.open("vllm/m", Map.of("VLLM_API_KEY", "token-abc")).exchange(RecordedServer.question());
    assertThat(server.last().header("authorization")).contains("Bearer token-abc");
  }

  @Test
  void theSameAccountHasTheSameLimitsWhateverItIsCalled() {
    var environment = Map.of("XAI_API_KEY", "k", "XAI_BASE_URL", "https://api.x.ai/v1");
    assertThat(open("grok/grok-4", environment).key())
        .isEqualTo(open("xai/grok-4", environment).key())
        .isEqualTo(open("openai-api/xai/grok-4", environment).key());
  }

  @Test
  void knowsNoArgumentsOfOpenAiItself() {
    assertThatThrownBy(() -> server.open("groq/m", "strem=true"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("did you mean 'stream'?");
  }

  /** It refuses fields that it does not know: anon-kode#53, eca#231. */
  @Test
  void mistralHasFieldsOfItsOwn() throws Exception {
    server
        .streams("data: [DONE]\n\n")
        .open("mistral/m", "stream=true")
        .exchange(RecordedServer.question().with(SETTINGS));
    assertThat(server.asked())
        .isEqualTo(
            RecordedServer.json(
                """
                {"model":"m",
                 "messages":[{"role":"user","content":"What is the capital of France?"}],
                 "max_tokens":50,"random_seed":3,"reasoning_effort":"high","stream":true}
                """));
  }

  @ParameterizedTest
  @CsvSource({
    "vllm/m,max_tokens",
    "ollama/m,max_tokens",
    "openai-api/x/m,max_tokens",
    "groq/m,max_completion_tokens",
    "xai/m,max_completion_tokens"
  })
  void theMostTokensAreCalledAsTheServerCallsThem(String model, String field) throws Exception {
    server.says(PLAIN).open(model).exchange(RecordedServer.question().with(SETTINGS));
    assertThat(server.asked().at("/" + field).asInt()).isEqualTo(50);
    assertThat(server.asked().at("/seed").asInt()).isEqualTo(3);
    assertThat(server.asked().at("/reasoning_effort").asString()).isEqualTo("high");
  }

  @Test
  void openRouterIsToldOfEffortInItsOwnWay() throws Exception {
    server.says(PLAIN).open("openrouter/a/b").exchange(RecordedServer.question().with(SETTINGS));
    assertThat(server.asked().at("/reasoning/effort").asString()).isEqualTo("high");
    assertThat(server.asked().has("reasoning_effort")).isFalse();
  }

  /** DeepSeek demands its thoughts back beside tool calls; Mistral refuses them: crush#1590. */
  @Test
  void thoughtsGoBackOnlyToThoseWhoWantThem() throws Exception {
    String body =
        """
        {"choices":[{"message":{"role":"assistant","content":"","reasoning_content":"Hm, weather.",
          "tool_calls":[{"id":"c1","type":"function",
                         "function":{"name":"get_weather","arguments":"{}"}}]},
          "finish_reason":"tool_calls"}]}
        """;
    Message.Assistant said = reply("deepseek/deepseek-reasoner", body).message();
    assertThat(said.reasoning()).isEqualTo("Hm, weather.");
    List<Message> next = new ArrayList<>(RecordedServer.question().messages());
    next.add(said);
    next.add(new Message.ToolResult("c1", "get_weather", "rain", false));

    server.open("deepseek/deepseek-reasoner").exchange(Request.of(next));
    assertThat(server.asked().at("/messages/1/reasoning_content").asString())
        .isEqualTo("Hm, weather.");
    server.open("mistral/m").exchange(Request.of(next));
    assertThat(server.asked().at("/messages/1").has("reasoning_content")).isFalse();

    next.set(1, new Message.Assistant(said.text(), said.reasoning(), List.of(), said.nativeForm()));
    server.open("deepseek/deepseek-reasoner").exchange(Request.of(next));
    assertThat(server.asked().at("/messages/1").has("reasoning_content")).isFalse();
  }

  @Test
  void signedThoughtsOfAStreamGoBackAsTheyCame() throws Exception {
    Response response =
        server
            .streams(
                """
                data: {"choices":[{"delta":{"reasoning":"Hm, ","reasoning_details":[{"type":"reasoning.text","text":"Hm, ","index":0}]}}]}

                data: {"choices":[{"delta":{"reasoning":"rain?","reasoning_details":[{"type":"reasoning.text","text":"rain?","signature":"s1","index":0}]}}]}

                data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c1","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}

                data: [DONE]

                """)
            .open("openrouter/a/b", "stream=true")
            .exchange(RecordedServer.question());
    Message.Assistant said = ((Response.Reply) response).message();
    assertThat(said.reasoning()).isEqualTo("Hm, rain?");
    assertThat(said.toolCalls()).containsExactly(new ToolCall("c1", "f", "{}"));

    server.says(PLAIN).open("openrouter/a/b").exchange(Request.of(List.of(said)));
    assertThat(server.asked().at("/messages/0/reasoning").asString()).isEqualTo("Hm, rain?");
    assertThat(server.asked().at("/messages/0/reasoning_details"))
        .isEqualTo(
            RecordedServer.json(
                """
                [{"type":"reasoning.text","text":"Hm, ","index":0},
                 {"type":"reasoning.text","text":"rain?","signature":"s1","index":0}]
                """));
  }

  @Test
  void countsWhatWasThoughtWhateverTheServerCountsItAs() throws Exception {
    // xAI: the total shows that thoughts are not among what was written.
    assertThat(
            usage(
                "xai/grok-4",
                """
                {"prompt_tokens":32,"completion_tokens":9,"total_tokens":135,
                 "prompt_tokens_details":{"cached_tokens":6},
                 "completion_tokens_details":{"reasoning_tokens":94}}
                """))
        .isEqualTo(new Usage(32, 103, 6, 0, 94));
    assertThat(
            usage(
                "deepseek/deepseek-reasoner",
                """
                {"prompt_tokens":30,"completion_tokens":100,"total_tokens":130,
                 "prompt_cache_hit_tokens":20,"prompt_cache_miss_tokens":10,
                 "completion_tokens_details":{"reasoning_tokens":94}}
                """))
        .isEqualTo(new Usage(30, 100, 20, 0, 94));
  }

  @Test
  void readsTheUsageThatGroqTellsInAPlaceOfItsOwn() throws Exception {
    Response response =
        server
            .streams(
                """
                data: {"choices":[{"delta":{"content":"Paris"}}]}

                data: {"choices":[{"delta":{},"finish_reason":"stop"}],"x_groq":{"id":"req_1","usage":{"prompt_tokens":11,"completion_tokens":2,"total_tokens":13}}}

                data: [DONE]

                """)
            .open("groq/m", "stream=true")
            .exchange(RecordedServer.question());
    assertThat(((Response.Reply) response).usage()).isEqualTo(new Usage(11, 2));
  }

  @Test
  void readsContentThatComesInParts() throws Exception {
    Message.Assistant message =
        reply(
                "mistral/magistral-small-latest",
                """
                {"choices":[{"message":{"role":"assistant","content":[
                  {"type":"thinking","thinking":[{"type":"text","text":"France, so"}]},
                  {"type":"text","text":"Paris."}]},"finish_reason":"stop"}]}
                """)
            .message();
    assertThat(message.text()).isEqualTo("Paris.");
    assertThat(message.reasoning()).isEqualTo("France, so");
  }

  /** OpenRouter documentation, errors: an event with {@code finish_reason: error}. */
  @Test
  void anErrorEndsAStreamOfOpenRouter() throws Exception {
    Response response =
        server
            .streams(
                """
                : OPENROUTER PROCESSING

                data: {"id":"gen-1","choices":[{"index":0,"delta":{"content":"Par"},"finish_reason":null}]}

                data: {"id":"gen-1","error":{"code":"server_error","message":"Provider disconnected"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}

                """)
            .open("openrouter/a/b", "stream=true")
            .exchange(RecordedServer.question());
    assertThat(response)
        .isInstanceOfSatisfying(
            Response.Transient.class,
            failure -> assertThat(failure.message()).contains("Provider disconnected"));
  }

  /** DeepSeek keeps a connection open with them. */
  @Test
  void blankLinesBeforeAnAnswerDoNotHurt() throws Exception {
    assertThat(reply("deepseek/deepseek-chat", "\n\n\n" + PLAIN).message().text())
        .isEqualTo("Paris");
  }

  private Usage usage(String model, String usage) throws Exception {
    return reply(
            model,
            "{\"choices\":[{\"message\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}],"
                + "\"usage\":"
                + usage
                + "}")
        .usage();
  }

  private Response.Reply reply(String model, String body) throws Exception {
    return (Response.Reply) server.says(body).open(model).exchange(RecordedServer.question());
  }
}
