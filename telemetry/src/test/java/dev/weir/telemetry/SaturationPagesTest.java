package dev.weir.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.EngineLimits;
import dev.weir.limits.EngineLimits.Ceiling;
import dev.weir.limits.EngineLimits.Engine;
import dev.weir.limits.Lane;
import dev.weir.limits.Mode;
import dev.weir.limits.RateCeiling;
import dev.weir.model.Model;
import dev.weir.telemetry.page.SaturationPages;
import dev.weir.time.Task;
import dev.weir.time.Time;
import dev.weir.web.Access;
import dev.weir.web.AccessToken;
import dev.weir.web.WebServer;
import dev.weir.web.WebSettings;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The pages over real sockets of this machine; what they show happened on virtual time. */
@Timeout(60)
class SaturationPagesTest {

  /** No other number of the pages: neither percent, nor time, nor place in a picture. */
  private static final int LIMIT = 137;

  private static final int OF_ENGINE = 149;
  private static final int REQUESTS = 7_919;

  private final Calls calls = new Calls();
  private final AccessToken token = AccessToken.fresh(Time.system());
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private WebServer server = started();

  private WebServer started() {
    try {
      var access = new Access(Time.system(), token, SaturationPages.ENTRANCE, true);
      return WebServer.start(
          Time.system(),
          WebSettings.loopback(0),
          new SaturationPages(Time.system(), calls.telemetry, access, false).handler());
    } catch (Exception failed) {
      throw new IllegalStateException(failed);
    }
  }

  /** Ten minutes in which 41 calls are in flight, then 101 of 137. */
  @BeforeEach
  void use() throws Exception {
    calls.telemetry.limitTo(
        new EngineLimits(
            Map.of(
                "openai",
                new Engine(
                    Map.of(
                        "gpt-4o",
                        new Ceiling(
                            OptionalInt.of(LIMIT),
                            new RateCeiling(OptionalDouble.of(REQUESTS), OptionalDouble.empty()))),
                    OptionalInt.of(OF_ENGINE)))));
    calls.time.run(
        () -> {
          Lane lane = calls.lane("openai/gpt-4o", new Mode.Static(101));
          Model model = calls.model("openai/gpt-4o", lane, calls.after(Duration.ofMinutes(5)));
          List<Task<?>> open = new ArrayList<>();
          for (int i = 0; i < 41; i++) {
            open.add(calls.start(model));
          }
          calls.time.sleep(Duration.ofMinutes(4));
          for (int i = 0; i < 160; i++) {
            open.add(calls.start(model));
          }
          calls.time.sleep(Duration.ofSeconds(30));
          look();
          for (Task<?> one : open) {
            one.join(Time.NEVER);
          }
          return null;
        });
  }

  private JsonNode trusted = new JsonMapper().createObjectNode();
  private final List<String> visible = new ArrayList<>();
  private String trustedPage = "";

  /** While calls are in flight and others wait. */
  private void look() throws Exception {
    for (String path : List.of("/saturation", "/api/saturation", "/saturation/nothing")) {
      HttpResponse<String> answer = send(to(path));
      visible.add(answer.headers() + answer.body());
    }
    visible.add(firstEvent(""));
    visible.add(send(to("/api/saturation").header("authorization", "Bearer wrong")).body());
    trusted = new JsonMapper().readTree(send(bearer("/api/saturation")).body());
    trustedPage = send(bearer("/saturation")).body();
  }

  @AfterEach
  void close() {
    client.close();
    server.close();
  }

  private HttpRequest.Builder to(String path) {
    return HttpRequest.newBuilder(server.address().resolve(path)).timeout(Duration.ofSeconds(20));
  }

  private HttpRequest.Builder bearer(String path) {
    return to(path).header("authorization", "Bearer " + token.reveal());
  }

  private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return client.send(request.build(), BodyHandlers.ofString());
  }

  /** The first event of the stream, as a browser with a cookie gets it. */
  private String firstEvent(String cookie) throws Exception {
    HttpRequest.Builder request = to("/saturation/events");
    if (!cookie.isEmpty()) {
      request.header("cookie", cookie);
    }
    var answer = client.send(request.build(), BodyHandlers.ofInputStream());
    var event = new StringBuilder();
    try (var lines =
        new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine();
          line != null && !line.isEmpty();
          line = lines.readLine()) {
        event.append(line).append('\n');
      }
    }
    return event.toString();
  }

  @Test
  void withTheTokenLimitsAndCountsAreShown() {
    JsonNode engine = trusted.path("engines").path(0);
    assertThat(engine.path("engine").asString()).isEqualTo("openai");
    JsonNode whole = engine.path("limits").path(0);
    assertThat(whole.path("model").isNull()).isTrue();
    assertThat(whole.path("limit").asInt()).isEqualTo(OF_ENGINE);
    JsonNode model = engine.path("limits").path(1);
    assertThat(model.path("limit").asInt()).isEqualTo(LIMIT);
    assertThat(model.path("use").asDouble()).isEqualTo(101);
    assertThat(model.path("waiting").asInt()).isEqualTo(100);
    assertThat(model.path("percent").asInt()).isEqualTo(70);
    assertThat(model.path("level").asString()).isEqualTo("soft");
    assertThat(model.path("source").asString()).isEqualTo("configured");
    assertThat(trustedPage)
        .contains("<td class=\"number\" data-label=\"use / limit\">101 / 137</td>")
        .contains("<td class=\"number\" data-label=\"now\">74 %</td>")
        .contains("<span class=\"chip soft\">soft</span>")
        .doesNotContain("<form");
  }

  @Test
  void withoutTheTokenThereArePercentInStepsOfFiveAndLevels() throws Exception {
    assertThat(visible.get(0))
        .contains("<td class=\"number\" data-label=\"now\">70 %</td>")
        .contains("<span class=\"chip soft\">soft</span>")
        .contains("<form method=\"post\" action=\"/saturation/enter\">");
    assertThat(visible.get(3)).contains("70 %").contains("event: saturation");
    JsonNode document = new JsonMapper().readTree(send(to("/api/saturation")).body());
    assertThat(document.path("engines").path(0).path("limits").path(1).propertyNames())
        .isEqualTo(Set.of("model", "resource", "percent", "peak_percent", "level", "hour_percent"));
    for (JsonNode percent : document.findValues("hour_percent")) {
      percent.forEach(one -> assertThat(one.asInt() % 5).isZero());
    }
  }

  /**
   * Nothing visible but multiples of five is a limit, or a count that could be divided by a percent
   * beside it. With the count from elsewhere, a limit can still be computed: docs/metrics.md says
   * so.
   */
  @Test
  void noLimitAndNoCountIsVisible() {
    Set<Integer> confidential = Set.of(LIMIT, OF_ENGINE, REQUESTS, 101, 100, 201, 160, 41);
    for (String text : visible) {
      Set<Integer> numbers = new TreeSet<>();
      // Numbers of the page itself, such as sizes of pictures, are the same for every limit.
      String changing =
          text.replaceAll("viewBox=\"[^\"]*\"|<rect class=\"track\"[^>]*>|width=device[^\"]*", "");
      var matcher = Pattern.compile("(?<![\\d.-])\\d+(?:\\.\\d+)?(?![\\d.])").matcher(changing);
      while (matcher.find()) {
        double number = Double.parseDouble(matcher.group());
        if (number == Math.rint(number)) {
          numbers.add((int) number);
        }
      }
      numbers.removeIf(number -> number <= 100 && number % 5 == 0);
      assertThat(numbers).as(text).doesNotContainAnyElementsOf(confidential);
      assertThat(text).doesNotContain("7,919", "configured", "waiting");
    }
  }

  /** The charts are drawn by the same steps: two limits whose percentages agree look the same. */
  @Test
  void anotherLimitWithTheSamePercentLooksTheSame() throws Exception {
    String before = send(to("/saturation")).body();
    calls.telemetry.limitTo(
        new EngineLimits(
            Map.of(
                "openai",
                new Engine(
                    Map.of(
                        "gpt-4o",
                        new Ceiling(
                            OptionalInt.of(LIMIT + 1),
                            new RateCeiling(
                                OptionalDouble.of(REQUESTS + 1), OptionalDouble.empty()))),
                    OptionalInt.of(OF_ENGINE)))));
    assertThat(send(to("/saturation")).body()).isEqualTo(before);
  }

  @Test
  void theFormGivesACookieAndTheAddressHasNoToken() throws Exception {
    HttpResponse<String> entered =
        send(
            to("/saturation/enter")
                .header("content-type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString("token=" + token.reveal())));
    assertThat(entered.statusCode()).isEqualTo(303);
    assertThat(entered.headers().firstValue("location")).hasValue("/saturation");
    String cookie = entered.headers().firstValue("set-cookie").orElse("");
    assertThat(cookie)
        .startsWith("weir-" + server.port() + "=")
        .endsWith("; Path=/; HttpOnly; SameSite=Strict")
        .doesNotContain(token.reveal());
    String sent = cookie.substring(0, cookie.indexOf(';'));
    assertThat(send(to("/saturation").header("cookie", "other=1; " + sent)).body())
        .contains("use / limit");
    assertThat(firstEvent(sent)).contains("use / limit");
    assertThat(send(to("/saturation").header("cookie", sent + "x")).body())
        .doesNotContain("use / limit");
  }

  @Test
  void theLinkWorksOnce() throws Exception {
    String link = "/saturation/enter?token=" + token.reveal();
    assertThat(send(to(link)).statusCode()).isEqualTo(303);
    HttpResponse<String> again = send(to(link));
    assertThat(again.statusCode()).isEqualTo(403);
    assertThat(again.body()).contains("Invalid token").doesNotContain(token.reveal());
    assertThat(again.headers().firstValue("set-cookie")).isEmpty();
  }

  @Test
  void aWrongTokenIsRefusedAndDoesNotUseUpTheLink() throws Exception {
    assertThat(send(to("/saturation/enter?token=x")).statusCode()).isEqualTo(403);
    assertThat(
            send(to("/saturation/enter").POST(BodyPublishers.ofString("token=%zz"))).statusCode())
        .isEqualTo(403);
    assertThat(send(to("/saturation/enter?token=" + token.reveal())).statusCode()).isEqualTo(303);
  }

  @Test
  void aTokenInAnotherAddressIsRefused() throws Exception {
    for (String path : List.of("/saturation", "/api/saturation", "/metrics")) {
      assertThat(send(to(path + "?%74oken=" + token.reveal())).statusCode()).isEqualTo(400);
      HttpResponse<String> answer = send(to(path + "?a=b&token=" + token.reveal()));
      assertThat(answer.statusCode()).isEqualTo(400);
      assertThat(answer.body()).contains("must not stand in an address");
    }
  }

  @Test
  void pagesOfOtherSitesAreRefused() throws Exception {
    assertThat(send(bearer("/api/saturation").header("origin", "http://evil.example")).statusCode())
        .isEqualTo(403);
    assertThat(
            send(to("/saturation/enter")
                    .header("origin", "http://127.0.0.1:1")
                    .POST(BodyPublishers.ofString("token=" + token.reveal())))
                .statusCode())
        .isEqualTo(403);
    assertThat(send(to("/saturation/events").header("sec-fetch-site", "cross-site")).statusCode())
        .isEqualTo(403);
    assertThat(
            send(to("/api/saturation").header("origin", server.address().toString())).statusCode())
        .isEqualTo(200);
  }

  @Test
  void aPageLoadsNothingFromElsewhereAndRunsNothingOfItsOwn() throws Exception {
    HttpResponse<String> page = send(to("/saturation"));
    assertThat(page.headers().firstValue("content-security-policy").orElse(""))
        .contains("default-src 'none'", "script-src 'self'", "style-src 'self'")
        .doesNotContain("unsafe");
    assertThat(page.body()).doesNotContain("style=", "onclick", "http://", "https://");
    assertThat(send(to("/design.css")).statusCode()).isEqualTo(200);
    assertThat(send(to("/saturation/page.js")).headers().firstValue("content-type"))
        .hasValue("text/javascript; charset=utf-8");
  }

  /** Pages that are left open must not shut out the scraper. */
  @Test
  void soManyPagesFollowAndNoMore() throws Exception {
    List<InputStream> streams = new ArrayList<>();
    for (int i = 0; i < 32; i++) {
      streams.add(
          client.send(to("/saturation/events").build(), BodyHandlers.ofInputStream()).body());
    }
    assertThat(send(to("/saturation/events")).statusCode()).isEqualTo(503);
    assertThat(send(to("/metrics")).statusCode()).isEqualTo(200);
    for (InputStream stream : streams) {
      stream.close();
    }
  }

  @Test
  void namesAreEscaped() throws Exception {
    calls.telemetry.limitTo(
        new EngineLimits(
            Map.of(
                "<b>",
                new Engine(
                    Map.of("\"'&<script>", new Ceiling(OptionalInt.of(3), RateCeiling.NONE))))));
    assertThat(send(to("/saturation")).body())
        .contains("&lt;b&gt;", "&quot;&#39;&amp;&lt;script&gt;")
        .doesNotContain("<b>");
  }
}
