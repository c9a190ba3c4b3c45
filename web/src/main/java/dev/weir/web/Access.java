package dev.weir.web;

import dev.weir.time.Time;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;

/**
 * Who may see what is confidential. Programs send the token as a bearer. Browsers give it once, in
 * a form or with the link that was printed, and get a cookie instead, so that it stands in no
 * address, history or log. Thread-safe.
 */
public final class Access {

  /** The name of the token in the form and in the link. */
  public static final String FIELD = "token";

  private static final String BEARER = "Bearer ";

  /** What browsers say of requests that no page of another site, or of another port, has made. */
  private static final Set<String> OWN_SITES = Set.of("same-origin", "none");

  private static final int MOST_SESSIONS = 100;
  private static final Pattern PORT = Pattern.compile(".*:(\\d{1,5})");

  private final Time time;
  private final AccessToken token;
  private final String entrance;
  private final AtomicBoolean isLinkUsed;
  // Guarded by itself, the oldest first.
  private final Deque<AccessToken> sessions = new ArrayDeque<>();

  /**
   * @param entrance the path at which browsers give the token
   * @param hasLink whether a link with the token is printed, which works once; one that outlives
   *     this process is given in the form only
   */
  public Access(Time time, AccessToken token, String entrance, boolean hasLink) {
    this.time = time;
    this.token = token;
    this.entrance = entrance;
    this.isLinkUsed = new AtomicBoolean(!hasLink);
  }

  /** Whether a request shows that its sender knows the token. */
  public boolean isGranted(Request request) {
    return isBearer(request) || (request.method().equals("GET") && hasCookie(request));
  }

  /** The same for a request that changes something: a cookie, which browsers add, is no proof. */
  public boolean isBearer(Request request) {
    return request
        .header("authorization")
        .filter(word -> word.regionMatches(true, 0, BEARER, 0, BEARER.length()))
        .filter(word -> token.isSame(word.substring(BEARER.length()).strip()))
        .isPresent();
  }

  /**
   * Handles requests unless they come from the page of another site, or have a token in their
   * address, where histories and logs would keep it.
   */
  public Handler guarding(Handler handler) {
    return request -> {
      requireOwnOrigin(request);
      if (!request.path().equals(entrance) && field(request.query()).isPresent()) {
        throw new WebException(
            400,
            "token_in_address_error",
            "A token must not stand in an address; send it as the header Authorization: Bearer …");
      }
      return handler.handle(request);
    };
  }

  /**
   * Takes the token from the printed link, once, or from the form, and sends the browser on with a
   * cookie.
   *
   * @param target where the browser goes
   * @param refused the page for a wrong token, or a link that was used before
   */
  public Answer enter(Request request, String target, Handler refused) throws Exception {
    boolean isLink = request.method().equals("GET");
    Optional<String> given = field(isLink ? request.query() : request.text());
    boolean isRight =
        given.filter(token::isSame).isPresent()
            && (!isLink || isLinkUsed.compareAndSet(false, true));
    if (!isRight) {
      return refused.handle(request);
    }
    return Answer.text(303, "")
        .with("location", target)
        .with(
            "set-cookie",
            "%s=%s; Path=/; HttpOnly; SameSite=Strict"
                .formatted(cookieName(request), session().reveal()));
  }

  private AccessToken session() {
    AccessToken session = AccessToken.fresh(time);
    synchronized (sessions) {
      if (sessions.size() == MOST_SESSIONS) {
        sessions.removeFirst();
      }
      sessions.addLast(session);
    }
    return session;
  }

  private boolean hasCookie(Request request) {
    String name = cookieName(request) + "=";
    return request
        .header("cookie")
        .map(all -> Arrays.stream(all.split(";", -1)).map(String::strip))
        .flatMap(all -> all.filter(one -> one.startsWith(name)).findFirst())
        .filter(one -> isSession(one.substring(name.length())))
        .isPresent();
  }

  private boolean isSession(String given) {
    synchronized (sessions) {
      return sessions.stream().filter(session -> session.isSame(given)).count() > 0;
    }
  }

  /** Browsers share cookies between the ports of a host. */
  private static String cookieName(Request request) {
    var port = PORT.matcher(request.header("host").orElse(""));
    return "weir-" + (port.matches() ? port.group(1) : "80");
  }

  private static Optional<String> field(String pairs) {
    return Arrays.stream(pairs.split("&", -1))
        .map(pair -> pair.split("=", 2))
        .filter(pair -> pair.length == 2 && decoded(pair[0]).equals(FIELD))
        .map(pair -> decoded(pair[1]).strip())
        .findFirst();
  }

  private static String decoded(String word) {
    try {
      return URLDecoder.decode(word, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException malformed) {
      return "";
    }
  }

  private static void requireOwnOrigin(Request request) {
    String host = request.header("host").orElse("");
    boolean isOther = request.header("origin").filter(origin -> !isOf(origin, host)).isPresent();
    boolean isOfAnotherSite =
        request.header("sec-fetch-site").filter(site -> !OWN_SITES.contains(site)).isPresent();
    boolean isForeign = isOther || (isOfAnotherSite && !isNavigation(request));
    if (isForeign) {
      throw new WebException(
          403, "origin_error", "This server does not answer to the pages of other sites.");
    }
  }

  /** A link on another site's page may lead here: what it shows, that site cannot read. */
  private static boolean isNavigation(Request request) {
    return request.method().equals("GET")
        && request.header("sec-fetch-mode").filter("navigate"::equals).isPresent();
  }

  private static boolean isOf(String origin, String host) {
    try {
      return host.equalsIgnoreCase(new URI(origin).getRawAuthority());
    } catch (URISyntaxException malformed) {
      return false;
    }
  }
}
