package dev.weir.providers.http;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hc.client5.http.ClientProtocolException;
import org.apache.hc.client5.http.HttpRoute;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.client5.http.routing.HttpRoutePlanner;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpHeaders;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.ParseException;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.http.message.BasicClassicHttpRequest;
import org.apache.hc.core5.http.message.BasicHeader;
import org.apache.hc.core5.http.message.BasicHttpRequest;
import org.apache.hc.core5.http.message.BasicLineFormatter;
import org.apache.hc.core5.http.message.BufferedHeader;
import org.apache.hc.core5.net.URIAuthority;
import org.apache.hc.core5.util.CharArrayBuffer;
import org.jspecify.annotations.Nullable;

/** An address that calls go to: what is the same for all of them is made once. Thread-safe. */
final class Destination {

  private final HttpHost target;
  private final HttpRoute route;
  private final String path;
  private final @Nullable URIAuthority authority;

  /** Of the last call, which are mostly those of the next. */
  private volatile Head head = new Head(Map.of(), List.of(), false);

  private Destination(
      HttpHost target, HttpRoute route, String path, @Nullable URIAuthority authority) {
    this.target = target;
    this.route = route;
    this.path = path;
    this.authority = authority;
  }

  /**
   * @throws IOException if nobody can be asked there
   */
  static Destination of(URI address, HttpRoutePlanner routes) throws IOException {
    HttpHost target = target(address);
    var example = new BasicHttpRequest("POST", address);
    try {
      HttpRoute route = routes.determineRoute(target, example, HttpClientContext.create());
      return new Destination(target, route, example.getPath(), example.getAuthority());
    } catch (HttpException nowhere) {
      throw new ClientProtocolException(nowhere.getMessage(), nowhere);
    }
  }

  /** A URI knows no host whose name has an underscore. */
  private static HttpHost target(URI address) throws IOException {
    try {
      return address.getHost() == null
          ? new HttpHost(address.getScheme(), URIAuthority.create(address.getRawAuthority()))
          : HttpHost.create(address);
    } catch (URISyntaxException | IllegalArgumentException unusable) {
      throw new IOException(
          "not the address of a server", new IllegalArgumentException(unusable.getMessage()));
    }
  }

  HttpHost target() {
    return target;
  }

  HttpRoute route() {
    return route;
  }

  /**
   * The request of a call that goes to the server itself; absent if there is something about it
   * that is left to the client: a proxy, or headers that are the protocol's own.
   */
  @Nullable ClassicHttpRequest directRequest(HttpCall call) {
    boolean hasBody = call.method().equals("POST");
    if (authority == null
        || authority.getUserInfo() != null
        || route.getProxyHost() != null
        || !(hasBody || call.method().equals("GET"))) {
      return null;
    }
    Head usual = head;
    if (usual.hasBody() != hasBody || !usual.told().equals(call.headers())) {
      usual = Head.of(call.headers(), hasBody, authority);
      head = usual;
    }
    if (usual.lines().isEmpty()) {
      return null;
    }
    var request =
        new BasicClassicHttpRequest(call.method(), target.getSchemeName(), authority, path);
    for (Header line : usual.lines()) {
      request.addHeader(line);
    }
    if (hasBody) {
      request.addHeader(
          new BasicHeader(HttpHeaders.CONTENT_LENGTH, Integer.toString(call.body().length)));
      request.setEntity(new ByteArrayEntity(call.body(), ContentType.APPLICATION_JSON));
    }
    return request;
  }

  /**
   * What stands above the bodies of calls.
   *
   * @param told the headers of a call
   * @param lines all headers but the length of the body, as they are written; none if the client
   *     has to see to them
   */
  private record Head(Map<String, String> told, List<Header> lines, boolean hasBody) {

    private static final List<String> OF_THE_PROTOCOL =
        List.of(
            HttpHeaders.CONTENT_LENGTH,
            HttpHeaders.TRANSFER_ENCODING,
            HttpHeaders.CONNECTION,
            HttpHeaders.EXPECT,
            HttpHeaders.UPGRADE,
            HttpHeaders.TE,
            HttpHeaders.TRAILER);

    static Head of(Map<String, String> told, boolean hasBody, URIAuthority authority) {
      var headers = new BasicHttpRequest("POST", "/");
      if (hasBody) {
        headers.setHeader(HttpHeaders.CONTENT_TYPE, ContentType.APPLICATION_JSON);
      }
      headers.setHeader(HttpHeaders.HOST, authority);
      headers.setHeader(HttpHeaders.USER_AGENT, Transport.USER_AGENT);
      // What the call says wins over what is usual.
      told.forEach(headers::setHeader);
      for (String name : OF_THE_PROTOCOL) {
        if (headers.containsHeader(name)) {
          return new Head(told, List.of(), hasBody);
        }
      }
      headers.setHeader(HttpHeaders.CONNECTION, "keep-alive");
      List<Header> lines = new ArrayList<>();
      for (Header header : headers.getHeaders()) {
        lines.add(written(header));
      }
      return new Head(told, List.copyOf(lines), hasBody);
    }

    private static Header written(Header header) {
      var line = new CharArrayBuffer(64);
      BasicLineFormatter.INSTANCE.formatHeader(line, header);
      try {
        return new BufferedHeader(line);
      } catch (ParseException strangeName) {
        // It is the server who judges it.
        return header;
      }
    }

    /** Headers hold the credential. */
    @Override
    public String toString() {
      return "headers";
    }
  }
}
