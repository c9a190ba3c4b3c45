package dev.weir.benchmarks.eval;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.time.Instant;
import java.util.Map;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/** What the simulator has counted. */
public record Counted(Map<String, Object> stats) {

  private static final JsonMapper JSON = new JsonMapper();

  public static Counted at(URI simulator) throws IOException {
    try (InputStream in = simulator.resolve("/stats").toURL().openStream()) {
      return new Counted(JSON.readValue(in, new TypeReference<Map<String, Object>>() {}));
    }
  }

  /** Begins again at 0. */
  public static void reset(URI simulator) throws IOException {
    var connection = (HttpURLConnection) simulator.resolve("/stats/reset").toURL().openConnection();
    connection.setRequestMethod("POST");
    if (connection.getResponseCode() >= 300) {
      throw new IOException("the simulator cannot be reset: " + connection.getResponseCode());
    }
  }

  public long answers() {
    return (long) number("answers");
  }

  double makespanSeconds() {
    return number("makespan_seconds");
  }

  int peakInFlight() {
    return (int) number("peak_in_flight");
  }

  public Instant firstRequest() {
    return Instant.parse(String.valueOf(stats.get("first_request")));
  }

  private double number(String name) {
    return stats.get(name) instanceof Number number ? number.doubleValue() : Double.NaN;
  }
}
