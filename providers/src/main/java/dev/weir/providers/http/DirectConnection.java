package dev.weir.providers.http;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.hc.client5.http.HttpRoute;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.DefaultClientConnectionReuseStrategy;
import org.apache.hc.client5.http.impl.DefaultConnectionKeepAliveStrategy;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.client5.http.io.ConnectionEndpoint;
import org.apache.hc.client5.http.io.LeaseRequest;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpConnection;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpHeaders;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.HttpStatus;
import org.apache.hc.core5.http.HttpVersion;
import org.apache.hc.core5.http.ProtocolException;
import org.apache.hc.core5.http.impl.io.HttpRequestExecutor;
import org.apache.hc.core5.http.io.HttpClientConnection;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * A connection from the pool to a server itself, with no proxy between, for one call: taken, used
 * and given back. The client does the same through layers for what such a call never needs, which
 * cost more than the call.
 */
final class DirectConnection implements ReplyConnection {

  private static final HttpRequestExecutor EXECUTOR = new HttpRequestExecutor();

  /** Nobody waits there: the pool is as large as the limits allow calls. */
  private static final Timeout LONGEST_WAIT_IN_THE_POOL = Timeout.ofMinutes(3);

  private static final TimeValue USUAL_KEEP_ALIVE = RequestConfig.DEFAULT.getConnectionKeepAlive();

  private final PoolingHttpClientConnectionManager pool;
  private final SilenceWatch watch;
  private final HttpClientContext context = HttpClientContext.create();

  /** Absent when it was given back. */
  private @Nullable ConnectionEndpoint endpoint;

  /** Absent before it was used. */
  private SilenceWatch.@Nullable Call call;

  /** How long it may be used again; absent if it may not. */
  private @Nullable TimeValue keepAlive;

  private DirectConnection(
      PoolingHttpClientConnectionManager pool, SilenceWatch watch, ConnectionEndpoint endpoint) {
    this.pool = pool;
    this.watch = watch;
    this.endpoint = endpoint;
  }

  static DirectConnection take(
      PoolingHttpClientConnectionManager pool, SilenceWatch watch, HttpRoute route)
      throws IOException, InterruptedException {
    LeaseRequest lease = pool.lease("", route, LONGEST_WAIT_IN_THE_POOL, null);
    try {
      return new DirectConnection(pool, watch, lease.get(LONGEST_WAIT_IN_THE_POOL));
    } catch (InterruptedException cancelled) {
      lease.cancel();
      throw cancelled;
    } catch (TimeoutException | ExecutionException unavailable) {
      lease.cancel();
      throw new IOException("no connection in the pool", unavailable);
    }
  }

  /**
   * Sends a request and waits for the headers of its response. If there is none, the connection is
   * closed.
   */
  ClassicHttpResponse execute(ClassicHttpRequest request, Duration firstByteTimeout)
      throws IOException, HttpException {
    ConnectionEndpoint taken = endpoint;
    if (taken == null) {
      throw new IllegalStateException("the connection was given back");
    }
    boolean answered = false;
    try {
      if (!taken.isConnected()) {
        pool.connect(taken, null, context);
      }
      call = watch.begin(() -> taken.close(CloseMode.IMMEDIATE), firstByteTimeout);
      ClassicHttpResponse response =
          taken.execute("", request, DirectConnection::exchanged, context);
      keepAlive = isUsual(response) ? USUAL_KEEP_ALIVE : keepAlive(request, response);
      heard();
      answered = true;
      return response;
    } catch (IOException failed) {
      throw meaning(failed);
    } finally {
      if (!answered) {
        discard();
      }
    }
  }

  private @Nullable TimeValue keepAlive(ClassicHttpRequest request, ClassicHttpResponse response) {
    return DefaultClientConnectionReuseStrategy.INSTANCE.keepAlive(request, response, context)
        ? DefaultConnectionKeepAliveStrategy.INSTANCE.getKeepAliveDuration(response, context)
        : null;
  }

  /**
   * Whether a response says no more about its connection than how long its body is. It can be used
   * again then, as the request asks for; anything else is for the client's rules.
   */
  private static boolean isUsual(ClassicHttpResponse response) {
    int lengths = 0;
    for (Header header : response.getHeaders()) {
      String name = header.getName();
      if (name.equalsIgnoreCase(HttpHeaders.CONTENT_LENGTH)) {
        lengths++;
      } else if (name.equalsIgnoreCase(HttpHeaders.CONNECTION)
          || name.equalsIgnoreCase(HttpHeaders.KEEP_ALIVE)
          || name.equalsIgnoreCase(HttpHeaders.TRANSFER_ENCODING)
          || name.equalsIgnoreCase("Proxy-Connection")) {
        return false;
      }
    }
    return lengths == 1
        && response.getCode() != HttpStatus.SC_NO_CONTENT
        && HttpVersion.HTTP_1_1.equals(response.getVersion());
  }

  private static ClassicHttpResponse exchanged(
      ClassicHttpRequest request, HttpClientConnection connection, HttpContext context)
      throws IOException, HttpException {
    return EXECUTOR.execute(request, connection, DirectConnection::informed, context);
  }

  /** Nobody asked for another protocol, and whatever follows would be in it. */
  private static void informed(
      HttpResponse response, HttpConnection connection, HttpContext context) throws HttpException {
    if (response.getCode() == HttpStatus.SC_SWITCHING_PROTOCOLS) {
      throw new ProtocolException("the server switches to another protocol");
    }
  }

  @Override
  public void timeout(Timeout timeout) {
    if (endpoint != null) {
      endpoint.setSocketTimeout(timeout);
    }
  }

  @Override
  public void heard() {
    if (call != null) {
      call.heard();
    }
  }

  @Override
  public IOException meaning(IOException failed) {
    return call == null ? failed : call.meaning(failed);
  }

  /** Whether the watch leaves the connection alone from now on. */
  private boolean endWatch() {
    return call == null || call.end();
  }

  @Override
  public void end() {
    if (keepAlive == null || !endWatch()) {
      discard();
    } else if (endpoint != null) {
      ConnectionEndpoint taken = endpoint;
      endpoint = null;
      pool.release(taken, null, keepAlive);
    }
  }

  @Override
  public void discard() {
    if (endpoint != null) {
      ConnectionEndpoint taken = endpoint;
      endpoint = null;
      endWatch();
      try {
        taken.close(CloseMode.IMMEDIATE);
      } finally {
        pool.release(taken, null, TimeValue.ZERO_MILLISECONDS);
      }
    }
  }
}
