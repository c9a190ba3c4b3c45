package dev.weir.providers.custom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.limits.header.ResponseFacts;
import dev.weir.model.Adapter;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Message;
import dev.weir.model.ModelName;
import dev.weir.model.Origin;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.Tool;
import dev.weir.model.ToolChoice;
import dev.weir.model.spi.Providers;
import dev.weir.model.spi.Surroundings;
import dev.weir.providers.http.Json;
import dev.weir.time.Time;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class CustomHttpTest {

  private static final String KEY = "key-of-nobody-77";

  private final DirectiveServer server = new DirectiveServer(KEY);

  @TempDir Path folder;

  @AfterEach
  void stop() {
    server.close();
  }

  private Adapter open(String config, Optional<URI> base) throws Exception {
    Path file = Files.writeString(folder.resolve("model.yaml"), config);
    ModelName model = ModelName.parse("http:" + file);
    return Providers.find(model)
        .open(model, Map.of(), new Surroundings(Time.system(), 1, Map.of("NOBODY_KEY", KEY), base));
  }

  private Adapter model(String body, String response) throws Exception {
    return open(
        """
        url: %s/v1/chat/completions
        headers: {authorization: 'Bearer ${NOBODY_KEY}'}
        model: small
        body: %s
        response: %s
        """
            .formatted(server.address(), body, response),
        Optional.empty());
  }

  private static String sent(Response response) {
    return response.origin().raw().map(Origin.Raw::request).orElse("");
  }

  @Test
  void gapsAreFilledAndEscaped() throws Exception {
    Adapter model =
        model(
            """
            {"messages": "{{messages}}", "q": "Q: {{prompt}} ({{model}})", "t": "{{temperature}}",
             "nested": [{"m": "{{ max_tokens }}"}, "{{seed}}", 7, true, null], "all": "x {{stop}}"}
            """
                .replace("\n", " "),
            "{text: '$.choices[0].message.content'}");
    String nasty = "say \"hi\"\n\\ {{model}} ${NOBODY_KEY} $1 [[echo: done]]";
    Request request = Request.of(List.of(Message.instructions("Be brief."), Message.user(nasty)));
    request =
        request.with(
            request
                .settings()
                .withMaxTokens(50)
                .withStop(List.of("a\"b"))
                .withExtraBody(Map.of("extra", "{\"on\": true}")));
    Response response = model.exchange(request);
    assertThat(((Response.Reply) response).message().text()).isEqualTo("done");
    Json body = Json.parse(sent(response));
    assertThat(body.text("q")).contains("Q: " + nasty + " (small)");
    assertThat(body.names()).containsExactly("messages", "q", "nested", "all", "extra");
    assertThat(body.at("nested")).hasToString("[{\"m\":50},7,true,null]");
    assertThat(body.text("all")).contains("x [\"a\\\"b\"]");
    assertThat(body.at("messages").toString())
        .startsWith("[{\"role\":\"system\",\"content\":\"Be brief.\"},{\"role\":\"user\"");
    assertThat(body.flag("extra", "on")).contains(true);
  }

  @Test
  void toolsAreNotLostSilently() throws Exception {
    Adapter model = model("{messages: '{{messages}}'}", "{text: '$.choices[0].message.content'}");
    Request request =
        Request.of("x").withTools(List.of(new Tool("t", "", "{}")), new ToolChoice.Auto());
    assertThat(model.exchange(request))
        .isInstanceOfSatisfying(
            Response.InvalidRequest.class,
            invalid -> assertThat(invalid.message()).contains("takes no tools", "{{tools}}"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "[[status: 500 {\"error\": \"rate limit reached\"}]] | RateLimited",
        "[[status: 400 {\"error\": {\"message\": \"too many requests\"}}]] | RateLimited",
        "[[status: 503 {\"detail\": \"upstream said status 429\"}]] | RateLimited",
        "[[status: 500 {\"error\": {\"code\": 429}}]] | RateLimited",
        "[[status: 500 {\"error\": \"code 14290\"}]] | Transient",
        "[[status: 400 {\"error\": \"took 1.429 s\"}]] | InvalidRequest",
        "[[status: 500 {\"error\": \"x\", \"metadata\": {\"headers\": {\"x-ratelimit-limit\":"
            + " 429}}}]] | Transient",
        "[[status: 200 {\"error\": \"too many requests\"}]] | RateLimited",
        "[[status: 200 {\"error\": \"broken\"}]] | Transient",
        "[[status: 200 {\"choices\": []}]] | UnreadableReply",
        "[[status: 200 {\"error\": {\"message\": \"no key\", \"status\": 401}}]] | Authentication",
        "[[status: 200 {\"error\": {\"message\": \"no\", \"status\": 42}}]] | Transient",
        "[[status: 402 {\"error\": \"pay\"}]] | QuotaExhausted",
        "[[status: 404 {\"error\": \"no model\"}]] | InvalidRequest",
      })
  void errorsMeanWhatTheySay(String prompt, String type) throws Exception {
    Adapter model = model("{messages: '{{messages}}'}", "{text: '$.choices[0].message.content'}");
    assertThat(model.exchange(Request.of(prompt)).getClass().getSimpleName()).isEqualTo(type);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "500 | {text: '$.choices[0].message.content'}",
        "200 | {text: '$.choices[0].message.content'}",
        "200 | {text: '$.choices[0].message.content', error: $.error}",
      })
  void headersMayBeHandedBackInTheBody(int status, String response) throws Exception {
    String body =
        "{\"error\": \"429: slow down, %s\", \"metadata\": {\"headers\": {\"Retry-After\": 60}}}"
            .formatted(KEY);
    Response refused =
        model("{messages: '{{messages}}'}", response)
            .exchange(Request.of("[[status: %d %s]]".formatted(status, body)));
    assertThat(refused)
        .isInstanceOfSatisfying(
            Response.RateLimited.class,
            limited -> {
              assertThat(limited.facts().serverWait()).contains(Duration.ofSeconds(60));
              assertThat(limited.message()).contains("slow down, [redacted]");
              assertThat(limited.toString()).doesNotContain(KEY);
            });
  }

  @Test
  void anAnswerMayHandBackHeadersToo() throws Exception {
    List<ResponseFacts> facts = new ArrayList<>();
    String body =
        "{\"a\": \"y\", \"metadata\": {\"headers\": {\"X-RateLimit-Limit-Requests\": 9,"
            + " \"X-RateLimit-Remaining-Requests\": 3}}}";
    Response response =
        model("{messages: '{{messages}}'}", "{text: $.a}")
            .exchange(Request.of("[[status: 200 %s]]".formatted(body)), facts::add);
    assertThat(response).isInstanceOf(Response.Reply.class);
    assertThat(facts).hasSize(2);
    assertThat(facts.getFirst().quotas()).isEmpty();
    assertThat(facts.getLast().quotas()).hasSize(1);
  }

  @Test
  void aServerThatIsNotThereIsAFaultThatMayPass() throws Exception {
    server.close();
    assertThat(model("{p: '{{prompt}}'}", "{text: $.a}").exchange(Request.of("x")))
        .isInstanceOf(Response.Transient.class);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ulr: x | unknown key 'ulr'; did you mean 'url'?",
        "{body: {}, response: {text: $.a}} | `url` is missing",
        "{url: 'http://a/', response: {text: $.a}} | `body` is missing",
        "{url: 'http://a/', body: {}} | `response` is missing",
        "{url: 'http://a/', body: {}, response: {}} | `text` is missing",
        "{url: 'http://a/', body: x, response: {text: $.a}} | `body` must be a mapping",
        "'{url: \"http://a/\", body: {a: \"{{promt}}\"}, response: {text: $.a}}' | column 30:"
            + " unknown gap '{{promt}}'; did you mean 'prompt'?",
        "{url: 'http://a/', body: {}, response: {text: a.b}} | `text` must be a path",
        "{url: 'http://a/', method: GET, body: {}, response: {text: $.a}} | `method` must be POST",
        "{url: 'ftp://a/', body: {}, response: {text: $.a}} | `url` must be an address",
        "{url: 'http://u:geheim@a/', body: {}, response: {text: $.a}} | was 'http://…@a/'",
        "{url: 'http://a:70000/', body: {}, response: {text: $.a}} | `url` must be an address",
        "{url: 'http://a/#b', body: {}, response: {text: $.a}} | `url` must be an address",
        "{url: /v1, body: {}, response: {text: $.a}} | give --model-base-url",
        "{url: 'http://a/?key=${NOBODY_KEY}', body: {}, response: {text: $.a}} | credentials"
            + " (${NAME}) belong into `headers`",
        "{url: 'http://a/', headers: {k: '${ABSENT}'}, body: {}, response: {text: $.a}} | set"
            + " ABSENT in",
        "{url: 'http://a/', headers: {'a b': x}, body: {}, response: {text: $.a}} | the header 'a"
            + " b' must be printable",
        "{url: 'http://a/', headers: {a: é}, body: {}, response: {text: $.a}} | the header 'a' must"
            + " be printable",
      })
  void tellsWhereAFileIsWrong(String text, String problem) {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> open(text, Optional.empty()))
        .withMessageContaining("model.yaml")
        .withMessageContaining(problem);
  }

  @Test
  void aWholeAddressAndABaseAddressExcludeEachOther() {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(
            () ->
                open(
                    "{url: 'http://a/', body: {}, response: {text: $.a}}",
                    Optional.of(URI.create("http://b/"))))
        .withMessageContaining("--model-base-url has no place");
  }

  @Test
  void anAddressGivenAsAModelIsExplained() {
    ModelName model = ModelName.parse("http://127.0.0.1:1/v1");
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(
            () -> Providers.find(model).open(model, Map.of(), new Surroundings(Time.system(), 1)))
        .withMessageContaining("it should hold the description of an http model");
  }

  @Test
  void credentialsThatStandInTheFileAreHiddenWhenAServerRepeatsThem() throws Exception {
    String basic = "bWU6TVlQQVNTV09SRA==";
    Adapter model =
        open(
            """
            url: %s/v1/chat/completions?sort_key=relevance&key=URL%%2FSECRET1
            headers: {authorization: 'Bearer ${NOBODY_KEY}', x-api-key: HDRSECRET2, proxy-authorization: Basic %s}
            body: {messages: '{{messages}}', api_key: BODYSECRET3, in: [{auth_token: "{{model}}", password: swordfish}]}
            response: {text: '$.choices[0].message.content'}
            """
                .formatted(server.address(), basic),
            Optional.empty());
    String repeated =
        "URL%2FSECRET1 URL/SECRET1 HDRSECRET2 BODYSECRET3 swordfish EXTRASECRET MYPASSWORD "
            + basic;
    for (String directive :
        List.of(
            "[[status: 400 {\"error\": {\"message\": \"relevance %s\"}}]]",
            "[[echo: relevance %s]]")) {
      Request request = Request.of(directive.formatted(repeated));
      Response response =
          model.exchange(
              request.with(
                  request
                      .settings()
                      .withExtraBody(Map.of("more", "{\"secret\": \"EXTRASECRET\"}"))));
      assertThat(response.toString())
          .contains("relevance")
          .doesNotContain("SECRET")
          .doesNotContain("swordfish")
          .doesNotContain("MYPASSWORD")
          .doesNotContain(basic);
    }
  }
}
