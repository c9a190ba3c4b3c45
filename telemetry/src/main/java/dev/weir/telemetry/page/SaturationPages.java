package dev.weir.telemetry.page;

import dev.weir.telemetry.Exposition;
import dev.weir.telemetry.Telemetry;
import dev.weir.time.Time;
import dev.weir.web.Access;
import dev.weir.web.Answer;
import dev.weir.web.Design;
import dev.weir.web.Handler;
import dev.weir.web.Request;
import dev.weir.web.Routes;
import dev.weir.web.WebException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What a listener serves of telemetry.
 *
 * <pre>
 *   GET  /metrics             for Prometheus, limits included
 *   GET  /ready               whether calls can be made
 *   GET  /saturation          a page for people
 *   GET  /saturation/events   what changes on it, as server-sent events
 *   GET  /saturation/enter    with the token: the printed link, which works once
 *   POST /saturation/enter    with the token: the form
 *   GET  /api/saturation      the same as JSON
 * </pre>
 *
 * @param access who may see limits and counts
 * @param guardsMetrics whether scrapers need the token, too
 * @param streams how many pages follow at this moment
 */
public record SaturationPages(
    Time time, Telemetry telemetry, Access access, boolean guardsMetrics, AtomicInteger streams) {

  public static final String PAGE = "/saturation";

  /** Where browsers give the token. */
  public static final String ENTRANCE = "/saturation/enter";

  private static final Duration INTERVAL = Duration.ofSeconds(2);

  /** Pages that are left open must not take the connections that scrapers need. */
  private static final int MOST_STREAMS = 32;

  /** Ends a stream now and then: browsers come again, and those that have gone are noticed. */
  private static final int MOST_EVENTS = 1_800;

  public SaturationPages(Time time, Telemetry telemetry, Access access, boolean guardsMetrics) {
    this(time, telemetry, access, guardsMetrics, new AtomicInteger());
  }

  /** All of them; requests that pages of other sites make are refused. */
  public Handler handler() {
    return access.guarding(
        Routes.builder()
            .get("/metrics", this::metrics)
            .get("/ready", _ -> Answer.json(200, readiness()))
            .get(PAGE, request -> page(request, 200, ""))
            .get("/saturation/events", this::events)
            .get(
                "/saturation/page.js",
                _ ->
                    Design.resource(
                        SaturationPages.class, "saturation.js", "text/javascript; charset=utf-8"))
            .get(Design.STYLESHEET, _ -> Design.stylesheet())
            .get(ENTRANCE, this::enter)
            .post(ENTRANCE, this::enter)
            .get("/api/saturation", request -> Answer.json(200, view(request).document()))
            .build());
  }

  private SaturationView view(Request request) {
    return new SaturationView(telemetry, access.isGranted(request));
  }

  /**
   * A configuration that cannot be read any more is no reason to send calls elsewhere: the limits
   * from before hold, in all processes that share it.
   */
  private Map<String, Object> readiness() {
    boolean isRead = telemetry.isConfigurationRead();
    Map<String, Object> readiness = new LinkedHashMap<>();
    readiness.put("ready", true);
    readiness.put(
        "problems",
        isRead
            ? List.of()
            : List.of("the engine limits could not be reloaded; the previous limits still apply"));
    return readiness;
  }

  private Answer metrics(Request request) {
    if (guardsMetrics && !access.isBearer(request)) {
      return Answer.error(
              401,
              "token_error",
              "Send the token as the header Authorization: Bearer …; in Prometheus, set"
                  + " authorization.credentials_file of the scrape configuration.")
          .with("www-authenticate", "Bearer");
    }
    Exposition metrics = telemetry.expose(request.header("accept"));
    return Answer.body(200, metrics.contentType(), metrics.text().getBytes(StandardCharsets.UTF_8));
  }

  private Answer enter(Request request) throws Exception {
    return access.enter(
        request,
        PAGE,
        _ ->
            page(
                request,
                403,
                "<p class=\"notice\" role=\"alert\">Invalid token, or the link has already been"
                    + " used. Weir prints the token when it starts.</p>\n"));
  }

  private Answer page(Request request, int status, String notice) {
    boolean isTrusted = access.isGranted(request);
    String live = new SaturationView(telemetry, isTrusted).html();
    return Design.page(
        status,
        "Saturation · Weir",
        "/saturation/page.js",
        """
        <h1>Saturation</h1>
        <p>How much of each limit is in use. The level is that of the peak of the last 10 minutes. Soft, from 60 %% of calls in flight or 85 %% of a rate: ask the provider for more. Hard, from 80 %% or 90 %%: calls are about to wait or to be refused.
        <span class="chip state" id="state" role="status">not live</span></p>
        %s<div id="live">
        %s</div>
        %s\
        """
            .formatted(notice, live, isTrusted ? "" : FORM));
  }

  private static final String FORM =
      """
      <h2>Limits and counts</h2>
      <p>Limits are confidential. Without the token, this page shows percent in steps of 5.</p>
      <form method="post" action="%s">
      <label>Token<input name="%s" type="password" autocomplete="off" required></label>
      <button>Show limits</button>
      </form>
      """
          .formatted(ENTRANCE, Access.FIELD);

  private Answer events(Request request) {
    SaturationView view = view(request);
    if (streams.incrementAndGet() > MOST_STREAMS) {
      streams.decrementAndGet();
      throw new WebException(
          503,
          "too_many_streams_error",
          "Too many pages are following this run; close some of them.");
    }
    return Answer.events(
        sink -> {
          try {
            for (int i = 0; i < MOST_EVENTS; i++) {
              sink.send("saturation", view.html());
              time.sleep(INTERVAL);
            }
          } finally {
            streams.decrementAndGet();
          }
        });
  }
}
