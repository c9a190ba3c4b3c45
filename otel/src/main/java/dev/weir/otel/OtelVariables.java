package dev.weir.otel;

import dev.weir.model.ConfigurationException;
import dev.weir.telemetry.CallExporter;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * The variables of OpenTelemetry, as far as they are ours to check; its SDK reads the rest.
 *
 * <p>Headers are credentials, and an address may hold one: what is wrong with them is said without
 * their value.
 */
final class OtelVariables {

  private static final String OTLP = CallExporter.PREFIX + "EXPORTER_OTLP_";
  private static final String SDK_DISABLED = CallExporter.PREFIX + "SDK_DISABLED";
  private static final String CONFIG_FILE = CallExporter.PREFIX + "CONFIG_FILE";
  private static final String SEMANTICS = CallExporter.PREFIX + "SEMCONV_STABILITY_OPT_IN";
  private static final String CAPTURE =
      CallExporter.PREFIX + "INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT";
  private static final String PROTOCOL = "http/protobuf";
  private static final int GRPC_PORT = 4317;

  private final Map<String, String> variables = new HashMap<>();

  /**
   * @param environment an empty value is none
   */
  OtelVariables(Map<String, String> environment) {
    environment.forEach(
        (name, value) -> {
          if (name.startsWith(CallExporter.PREFIX) && !value.isBlank()) {
            variables.put(name, value.strip());
          }
        });
  }

  /** What is sent, each to its own path of the receiver. */
  enum Signal {
    TRACES,
    METRICS,
    LOGS;

    /** {@code traces}. */
    String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    private String exporter() {
      return CallExporter.PREFIX + name() + "_EXPORTER";
    }

    /** A variable for this signal alone: {@code OTEL_EXPORTER_OTLP_TRACES_HEADERS}. */
    private String variable(String ending) {
      return OTLP + name() + "_" + ending;
    }
  }

  /** Whether traces or metrics are to be sent: a receiver or an exporter is named. */
  boolean areWanted() {
    return !"true".equalsIgnoreCase(value(SDK_DISABLED).orElse(""))
        && (asksFor(Signal.TRACES) || asksFor(Signal.METRICS));
  }

  private boolean asksFor(Signal signal) {
    return value(signal.exporter())
        .map(word -> !word.equals("none"))
        .orElseGet(() -> endpoint(signal).isPresent());
  }

  /** The version of names to send. */
  GenAiNames names() {
    return value(SEMANTICS).stream()
            .flatMap(words -> Arrays.stream(words.split(",", -1)))
            .anyMatch(word -> word.strip().equals(GenAiNames.OPT_IN))
        ? GenAiNames.LATEST
        : GenAiNames.BASELINE;
  }

  /** Whether what is asked and answered is sent, too. */
  boolean capturesContent() {
    String word = value(CAPTURE).orElse("false").toLowerCase(Locale.ROOT);
    return switch (word) {
      case "true", "span_only" -> true;
      case "false", "no_content" -> false;
      default ->
          throw new ConfigurationException(
              "%s: unknown or unsupported value '%s'; use true or false".formatted(CAPTURE, word));
    };
  }

  /** The signals that are sent. */
  Set<Signal> signals() {
    Set<Signal> sent = new TreeSet<>();
    for (Signal signal : List.of(Signal.TRACES, Signal.METRICS)) {
      if (asksFor(signal)) {
        sent.add(signal);
      }
    }
    if (capturesContent() && names() == GenAiNames.BASELINE && asksFor(Signal.LOGS)) {
      sent.add(Signal.LOGS);
    }
    return sent;
  }

  /**
   * What the SDK is configured with.
   *
   * @param warnings takes a sentence about what will probably not work
   * @throws ConfigurationException if a value cannot be used
   */
  Map<String, String> properties(Consumer<String> warnings) {
    if (variables.containsKey(CONFIG_FILE)) {
      throw new ConfigurationException(
          "%s is not supported; unset it for Weir, and set %sENDPOINT"
              .formatted(CONFIG_FILE, OTLP));
    }
    Set<Signal> sent = signals();
    Map<String, String> properties = new HashMap<>();
    variables.forEach((name, value) -> properties.put(property(name), value));
    // Nothing is received, so no context is.
    properties.put("otel.propagators", "none");
    for (Signal signal : Signal.values()) {
      properties.put(property(signal.exporter()), sent.contains(signal) ? "otlp" : "none");
    }
    for (Signal signal : sent) {
      requireOtlp(signal);
      properties.put(property(signal.variable("PROTOCOL")), requiredProtocol(signal));
      requireHeaders(signal);
      requireEndpoint(signal, warnings);
    }
    if (capturesContent() && names() == GenAiNames.BASELINE && !sent.contains(Signal.LOGS)) {
      warnings.accept(
          "%s: content is sent as log records, and no receiver for them is set; set %s or %s=%s"
              .formatted(CAPTURE, Signal.LOGS.variable("ENDPOINT"), SEMANTICS, GenAiNames.OPT_IN));
    }
    return properties;
  }

  /** Those that a problem of the SDK names; all that are set, if it names none. */
  List<String> namedIn(String problem) {
    List<String> named = new ArrayList<>();
    new TreeSet<>(variables.keySet())
        .forEach(
            name -> {
              if (problem.contains(property(name))) {
                named.add(name);
              }
            });
    return named.isEmpty() ? new TreeSet<>(variables.keySet()).stream().toList() : named;
  }

  /** Where a signal goes, for people: without path and credentials. */
  String receiver(Signal signal) {
    return endpoint(signal)
        .map(set -> URI.create(set.value()))
        .map(address -> "%s://%s".formatted(address.getScheme(), place(address)))
        .orElse("http://localhost:4318");
  }

  private static String place(URI address) {
    return address.getPort() < 0 ? address.getHost() : address.getHost() + ":" + address.getPort();
  }

  private void requireOtlp(Signal signal) {
    value(signal.exporter())
        .filter(word -> !word.equals("otlp"))
        .ifPresent(
            word -> {
              throw new ConfigurationException(
                  "%s: unknown or unsupported exporter '%s'; use otlp or none"
                      .formatted(signal.exporter(), word));
            });
  }

  private String requiredProtocol(Signal signal) {
    Optional<Variable> protocol = set(signal, "PROTOCOL");
    protocol
        .filter(set -> !set.value().equals(PROTOCOL))
        .ifPresent(
            set -> {
              throw new ConfigurationException(
                  "%s: unknown or unsupported protocol '%s'; Weir sends %s, which receivers usually take on port 4318"
                      .formatted(set.name(), set.value(), PROTOCOL));
            });
    return PROTOCOL;
  }

  private void requireEndpoint(Signal signal, Consumer<String> warnings) {
    Optional<Variable> endpoint = endpoint(signal);
    if (endpoint.isEmpty()) {
      return;
    }
    String name = endpoint.get().name();
    URI address;
    try {
      address = new URI(endpoint.get().value());
    } catch (URISyntaxException malformed) {
      throw noAddress(name);
    }
    String scheme = String.valueOf(address.getScheme()).toLowerCase(Locale.ROOT);
    if (!(scheme.equals("http") || scheme.equals("https"))
        || address.getHost() == null
        || address.getRawQuery() != null
        || address.getRawFragment() != null) {
      throw noAddress(name);
    }
    if (address.getPort() == GRPC_PORT) {
      warnings.accept(
          "%s: receivers usually take grpc on port %d, but Weir sends %s, which they take on port 4318"
              .formatted(name, GRPC_PORT, PROTOCOL));
    }
  }

  /** Without the value: it may hold a password. */
  private static ConfigurationException noAddress(String name) {
    return new ConfigurationException(
        "%s is not a valid receiver address; use http:// or https://, a host and optionally a port, for example http://127.0.0.1:4318"
            .formatted(name));
  }

  private void requireHeaders(Signal signal) {
    Optional<Variable> headers = set(signal, "HEADERS");
    if (headers.isEmpty()) {
      return;
    }
    HttpRequest.Builder request = HttpRequest.newBuilder();
    for (String header : headers.get().value().split(",", -1)) {
      int equals = header.indexOf('=');
      try {
        if (!header.isBlank()) {
          var _ =
              request.header(
                  header.substring(0, equals).strip(),
                  URLDecoder.decode(header.substring(equals + 1).strip(), StandardCharsets.UTF_8));
        }
      } catch (IllegalArgumentException | StringIndexOutOfBoundsException malformed) {
        // Not as a cause, which would quote it.
        throw new ConfigurationException(
            "%s is not of the form name=value,name=value with values encoded as in a URL"
                .formatted(headers.get().name()));
      }
    }
  }

  /** A variable that is set, by the name it was found under. */
  private record Variable(String name, String value) {}

  private Optional<Variable> endpoint(Signal signal) {
    return set(signal, "ENDPOINT");
  }

  /** For the signal, or else for all. */
  private Optional<Variable> set(Signal signal, String ending) {
    return variable(signal.variable(ending)).or(() -> variable(OTLP + ending));
  }

  private Optional<Variable> variable(String name) {
    return value(name).map(value -> new Variable(name, value));
  }

  private Optional<String> value(String name) {
    return Optional.ofNullable(variables.get(name));
  }

  private static String property(String name) {
    return name.toLowerCase(Locale.ROOT).replace('_', '.');
  }
}
