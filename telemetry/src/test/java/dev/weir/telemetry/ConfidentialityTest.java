package dev.weir.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.EngineLimits;
import dev.weir.limits.EngineLimits.Ceiling;
import dev.weir.limits.EngineLimits.Engine;
import dev.weir.limits.Mode;
import dev.weir.limits.RateCeiling;
import dev.weir.model.Model;
import dev.weir.telemetry.page.SaturationPages;
import dev.weir.time.Time;
import dev.weir.web.Access;
import dev.weir.web.AccessToken;
import dev.weir.web.WebServer;
import dev.weir.web.WebSettings;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tries to compute a limit from all that can be seen without the token while one call after the
 * other is added, until the limit is reached: the steps that percent takes are then all there are.
 */
@Timeout(120)
class ConfidentialityTest {

  private static final Pattern PERCENT =
      Pattern.compile("[<≥]? ?\\d+ %|percent\":\\[?[\\d,]+|&lt; \\d+ %");

  @Test
  void noSequenceOfPercentagesGivesTheLimitAway() throws Exception {
    Map<Integer, Set<String>> seen = new TreeMap<>();
    for (int limit : List.of(1, 2, 3, 4, 5, 6, 7, 10, 13, 16, 19, 20, 21, 25, 33, 40, 64)) {
      seen.put(limit, seen(limit));
    }
    assertThat(seen.get(1)).isEqualTo(seen.get(2));
    for (int low : List.of(4, 5, 6, 7, 10, 13, 16, 19)) {
      assertThat(seen.get(low)).as("limit %d", low).isEqualTo(seen.get(3));
    }
    for (int high : List.of(21, 25, 33, 40, 64)) {
      assertThat(seen.get(high)).as("limit %d", high).isEqualTo(seen.get(20));
    }
    assertThat(seen.get(20)).hasSizeGreaterThan(20);
  }

  /** Whatever stands before a percent sign, or in a field of percent, from nothing to full. */
  private static Set<String> seen(int limit) throws Exception {
    var calls = new Calls();
    calls.telemetry.limitTo(
        new EngineLimits(
            Map.of(
                "openai",
                new Engine(
                    Map.of("gpt-4o", new Ceiling(OptionalInt.of(limit), RateCeiling.NONE)),
                    OptionalInt.of(limit)))));
    Set<String> seen = new TreeSet<>();
    var access = new Access(Time.system(), AccessToken.fresh(Time.system()), "/enter", true);
    try (HttpClient client = HttpClient.newHttpClient();
        WebServer server =
            WebServer.start(
                Time.system(),
                WebSettings.loopback(0),
                new SaturationPages(Time.system(), calls.telemetry, access, false).handler())) {
      Model model =
          calls.model(
              "openai/gpt-4o",
              calls.lane("openai/gpt-4o", new Mode.Static(limit)),
              calls.after(Duration.ofMinutes(30)));
      calls.time.run(
          () -> {
            for (int i = 0; i <= limit; i++) {
              calls.time.sleep(Duration.ofSeconds(15));
              for (String path : List.of("/saturation", "/api/saturation")) {
                var request = HttpRequest.newBuilder(server.address().resolve(path)).build();
                var numbers = PERCENT.matcher(client.send(request, BodyHandlers.ofString()).body());
                while (numbers.find()) {
                  seen.addAll(List.of(numbers.group().split("(?<=[\\[,])|:")));
                }
              }
              var _ = calls.start(model);
            }
            return null;
          });
    }
    return seen;
  }
}
