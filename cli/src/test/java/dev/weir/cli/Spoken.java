package dev.weir.cli;

import dev.weir.time.Time;
import dev.weir.time.virtual.VirtualTime;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What a command said, and how it ended. */
record Spoken(int code, String out, String err) {

  /** On the clock of this machine. */
  static Spoken of(Map<String, String> environment, Object... words) {
    return of(Time.system(), environment, words);
  }

  static Spoken onVirtualTime(Map<String, String> environment, Object... words) throws Exception {
    VirtualTime time = VirtualTime.seeded(1);
    return time.run(() -> of(time, environment, words));
  }

  static Spoken of(Time time, Map<String, String> environment, Object... words) {
    var out = new StringWriter();
    var err = new StringWriter();
    int code =
        Weir.run(
            new Surroundings(time, new PrintWriter(out), new PrintWriter(err), environment, false),
            Arrays.stream(words).map(Object::toString).toArray(String[]::new));
    return new Spoken(code, out.toString(), err.toString());
  }

  JsonNode json() {
    return new JsonMapper().readTree(out);
  }
}
