package dev.weir.providers.http;

import dev.weir.model.spi.RawReply;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.ManagedHttpClientConnectionFactory;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;

/**
 * Sends bodies over HTTP/1.1, one connection to each call in flight. It does not retry, follow or
 * remember anything, and has no limit of its own: that is the limiter's business.
 *
 * <p>Thread-safe. An interrupt ends a call at once.
 */
public final class Transport implements AutoCloseable {

  /** No second limiter: the pool is as large as the limits allow calls. */
  private static final int AS_MANY_AS_ALLOWED = 1_000_000;

  /** The default of 8 KiB costs 100 KB a call. */
  private static final int BUFFER_BYTES = 4_096;

  private final TransportSettings settings;
  private final CloseableHttpClient client;

  private Transport(TransportSettings settings, CloseableHttpClient client) {
    this.settings = settings;
    this.client = client;
  }

  /**
   * The one that all models of the process share, so that connections are reused.
   *
   * @param environment tells proxies and certificates, as it does to other programs
   */
  public static Transport shared(Map<String, String> environment) {
    return Shared.TRANSPORT;
  }

  public static Transport open(TransportSettings settings) {
    Http1Config http1 =
        Http1Config.custom().setBufferSize(BUFFER_BYTES).setChunkSizeHint(BUFFER_BYTES / 2).build();
    var connections =
        PoolingHttpClientConnectionManagerBuilder.create()
            .setMaxConnTotal(AS_MANY_AS_ALLOWED)
            .setMaxConnPerRoute(AS_MANY_AS_ALLOWED)
            .setConnectionFactory(
                ManagedHttpClientConnectionFactory.builder().http1Config(http1).build())
            .setDefaultConnectionConfig(
                ConnectionConfig.custom()
                    .setConnectTimeout(Timeout.of(settings.connectTimeout()))
                    .setSocketTimeout(Timeout.of(settings.readTimeout()))
                    .setValidateAfterInactivity(TimeValue.of(5, TimeUnit.SECONDS))
                    .setTimeToLive(TimeValue.of(10, TimeUnit.MINUTES))
                    .build())
            .build();
    CloseableHttpClient client =
        HttpClients.custom()
            .setConnectionManager(connections)
            .disableAutomaticRetries()
            .disableRedirectHandling()
            .disableCookieManagement()
            .disableAuthCaching()
            .setDefaultRequestConfig(
                RequestConfig.custom()
                    .setResponseTimeout(Timeout.of(settings.readTimeout()))
                    .build())
            .setUserAgent("weir")
            .build();
    return new Transport(settings, client);
  }

  /**
   * Sends a call and waits for the headers of its response.
   *
   * @throws IOException if there is no response; also if the calling task was interrupted
   */
  public RawReply send(HttpCall call) throws IOException {
    var post = new HttpPost(call.uri());
    call.headers().forEach(post::setHeader);
    post.setEntity(new ByteArrayEntity(call.body(), ContentType.APPLICATION_JSON));
    ClassicHttpResponse response = client.executeOpen(null, post, null);
    return new Reply(response, settings.maxResponseBytes());
  }

  @Override
  public void close() {
    client.close(org.apache.hc.core5.io.CloseMode.IMMEDIATE);
  }

  private static final class Reply implements RawReply {

    private final ClassicHttpResponse response;
    private final InputStream body;

    Reply(ClassicHttpResponse response, long most) throws IOException {
      this.response = response;
      HttpEntity entity = response.getEntity();
      this.body =
          new BoundedStream(
              entity == null ? InputStream.nullInputStream() : entity.getContent(), most);
    }

    @Override
    public int status() {
      return response.getCode();
    }

    @Override
    public String statusText() {
      String reason = response.getReasonPhrase();
      return reason == null ? "" : reason;
    }

    @Override
    public Map<String, List<String>> headers() {
      Map<String, List<String>> headers = new LinkedHashMap<>();
      for (Header header : response.getHeaders()) {
        headers
            .computeIfAbsent(header.getName().toLowerCase(Locale.ROOT), _ -> new ArrayList<>())
            .add(header.getValue());
      }
      return headers;
    }

    @Override
    public InputStream body() {
      return body;
    }

    @Override
    public void close() {
      try {
        response.close();
      } catch (IOException gone) {
        // Nobody wants the rest, and the connection is closed either way.
      }
    }
  }

  /** Opened when the first model is. */
  private static final class Shared {

    static final Transport TRANSPORT = open(TransportSettings.defaults());
  }
}
