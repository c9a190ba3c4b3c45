package dev.weir.otel;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.opentelemetry.proto.metrics.v1.HistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.resource.v1.Resource;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/**
 * A receiver of OTLP over HTTP on this machine. It knows the public definition of the protocol, and
 * nothing of what sends to it.
 */
final class OtlpReceiver implements AutoCloseable {

  /** A request as it came: what is decoded, and all of it as it was on the wire. */
  record Received(String path, Map<String, List<String>> headers, ByteString body) {}

  private final HttpServer server;
  private final int status;
  private final List<Received> received = new CopyOnWriteArrayList<>();
  // Requests are answered once it is open.
  private final CountDownLatch answers;

  private OtlpReceiver(int status, CountDownLatch answers) throws IOException {
    this.status = status;
    this.answers = answers;
    this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/", this::receive);
    server.start();
  }

  static OtlpReceiver start() throws IOException {
    return answering(200);
  }

  /** One that answers everything with a status. */
  static OtlpReceiver answering(int status) throws IOException {
    return new OtlpReceiver(status, new CountDownLatch(0));
  }

  /** One that takes connections and requests, and answers nothing. */
  static OtlpReceiver silent() throws IOException {
    return new OtlpReceiver(200, new CountDownLatch(1));
  }

  /** Ends its silence. */
  void answer() {
    answers.countDown();
  }

  String address() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  private void receive(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] body = exchange.getRequestBody().readAllBytes();
      if ("gzip".equals(exchange.getRequestHeaders().getFirst("Content-Encoding"))) {
        body = new GZIPInputStream(new ByteArrayInputStream(body)).readAllBytes();
      }
      received.add(
          new Received(
              exchange.getRequestURI().getPath(),
              Map.copyOf(exchange.getRequestHeaders()),
              ByteString.copyFrom(body)));
      answers.await();
      exchange.sendResponseHeaders(status, -1);
    } catch (InterruptedException closed) {
      Thread.currentThread().interrupt();
    }
  }

  List<Received> received() {
    return received;
  }

  private Stream<ByteString> bodies(String path) {
    return received.stream().filter(one -> one.path().equals(path)).map(Received::body);
  }

  List<Span> spans() {
    return bodies("/v1/traces")
        .map(body -> parsed(() -> ExportTraceServiceRequest.parseFrom(body)))
        .flatMap(request -> request.getResourceSpansList().stream())
        .flatMap(resource -> resource.getScopeSpansList().stream())
        .flatMap(scope -> scope.getSpansList().stream())
        .toList();
  }

  List<String> schemas() {
    return bodies("/v1/traces")
        .map(body -> parsed(() -> ExportTraceServiceRequest.parseFrom(body)))
        .flatMap(request -> request.getResourceSpansList().stream())
        .flatMap(resource -> resource.getScopeSpansList().stream())
        .map(scope -> scope.getSchemaUrl())
        .toList();
  }

  List<Resource> resources() {
    return bodies("/v1/traces")
        .map(body -> parsed(() -> ExportTraceServiceRequest.parseFrom(body)))
        .flatMap(request -> request.getResourceSpansList().stream())
        .map(resource -> resource.getResource())
        .toList();
  }

  /** A metric as it was sent last: its points are totals. */
  Metric metric(String name) {
    return metrics().filter(metric -> metric.getName().equals(name)).toList().getLast();
  }

  Stream<Metric> metrics() {
    return bodies("/v1/metrics")
        .map(body -> parsed(() -> ExportMetricsServiceRequest.parseFrom(body)))
        .flatMap(request -> request.getResourceMetricsList().stream())
        .flatMap(resource -> resource.getScopeMetricsList().stream())
        .flatMap(scope -> scope.getMetricsList().stream());
  }

  List<HistogramDataPoint> points(String name) {
    return metric(name).getHistogram().getDataPointsList();
  }

  List<LogRecord> logs() {
    return bodies("/v1/logs")
        .map(body -> parsed(() -> ExportLogsServiceRequest.parseFrom(body)))
        .flatMap(request -> request.getResourceLogsList().stream())
        .flatMap(resource -> resource.getScopeLogsList().stream())
        .flatMap(scope -> scope.getLogRecordsList().stream())
        .toList();
  }

  /** By their names, each as text. */
  static Map<String, String> attributes(List<KeyValue> attributes) {
    Map<String, String> all = new TreeMap<>();
    attributes.forEach(one -> all.put(one.getKey(), text(one.getValue())));
    return all;
  }

  static String text(AnyValue value) {
    return switch (value.getValueCase()) {
      case STRING_VALUE -> value.getStringValue();
      case INT_VALUE -> Long.toString(value.getIntValue());
      case DOUBLE_VALUE -> Double.toString(value.getDoubleValue());
      case BOOL_VALUE -> Boolean.toString(value.getBoolValue());
      case ARRAY_VALUE ->
          value.getArrayValue().getValuesList().stream()
              .map(OtlpReceiver::text)
              .toList()
              .toString();
      case KVLIST_VALUE -> attributes(value.getKvlistValue().getValuesList()).toString();
      default -> throw new IllegalArgumentException("unexpected " + value.getValueCase());
    };
  }

  private interface Parse<T> {
    T parse() throws InvalidProtocolBufferException;
  }

  private static <T> T parsed(Parse<T> parse) {
    try {
      return parse.parse();
    } catch (InvalidProtocolBufferException malformed) {
      throw new AssertionError("not as the protocol says", malformed);
    }
  }

  @Override
  public void close() {
    answer();
    server.stop(0);
  }
}
