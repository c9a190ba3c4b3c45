package dev.weir.simulator.server;

import dev.weir.model.ConfigurationException;
import dev.weir.simulator.answer.Coin;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the simulated model says: the first of what a header asks for, a scripted answer, trouble or
 * a call of a tool that the prompt asks for, JSON where the client demands it, the results of
 * tools, a marker in the prompt that is echoed, right or wrong where the target is known, and a
 * fixed sentence.
 *
 * <pre>
 *   [[echo: this is the answer]]        the last one in the prompt counts
 *   [[target: Paris]]                   or the header x-weir-target
 *   x-weir-answer: the answer           a header, for clients that need a prompt of a given size
 *   x-weir-latency: 1.5s                how long this one takes
 * </pre>
 *
 * <p>These are read in the last turn of the conversation alone, so that they happen once:
 *
 * <pre>
 *   [[tool: add {"a": 1}]]              calls a tool, if the request offers any; may be repeated
 *   [[reasoning: let me see]]           what the model thinks before it answers
 *   [[cached: 100]] [[cache-write: 5]]  tokens of the prompt that were in the cache, or are now
 *   [[latency: 1.5s]]                   how long this one takes; the header wins
 *   [[header: retry-after: 2]]          a header of the answer, whatever that is; may be repeated
 *   [[status: 503 {"error": "down"}]]   exactly this; without a body an error as the API tells it
 *   [[stream-error: overloaded_error]]  in the middle of a stream
 *   [[truncate]] [[html]] [[notjson]] [[large: 100 MB]]
 * </pre>
 */
final class Answerer {

  static final String OTHERWISE = "This is a simulated answer.";

  private static final String THOUGHT = "A simulated thought.";

  private static final Set<String> NAMES =
      Set.of(
          "echo",
          "target",
          "tool",
          "reasoning",
          "cached",
          "cache-write",
          "header",
          "latency",
          "status",
          "stream-error",
          "truncate",
          "html",
          "notjson",
          "large");

  private static final Pattern TOOL = Pattern.compile("(\\S+)\\s*(.*)", Pattern.DOTALL);
  private static final Pattern STATUS =
      Pattern.compile("([2-5]\\d\\d)(?!\\S)\\s*(.*)", Pattern.DOTALL);
  private static final Pattern HEADER = Pattern.compile("([A-Za-z0-9-]+)\\s*:\\s*([ -~]*)");
  private static final Pattern MEGABYTES = Pattern.compile("(\\d{1,4})\\s*MB");

  /** Those that say where a body ends: a wrong one breaks the connection, and not the answer. */
  private static final Set<String> OWN_HEADERS =
      Set.of("content-length", "transfer-encoding", "connection");

  private final Script script;
  private final Coin coin;

  Answerer(Script script, Coin coin) {
    this.script = script;
    this.coin = coin;
  }

  /**
   * @param header of the request, by name
   * @throws BadCallException if a directive has no meaning
   */
  Said answer(Call call, Function<String, Optional<String>> header) {
    Said said =
        header
            .apply("x-weir-answer")
            .map(Said::of)
            .orElseGet(() -> answer(call, header.apply("x-weir-target")));
    return said.taking(
        header
            .apply("x-weir-latency")
            .map(word -> latency(new Given("the header x-weir-latency", word))));
  }

  private static Duration latency(Given given) {
    try {
      return given.duration();
    } catch (ConfigurationException unusable) {
      throw new BadCallException(String.valueOf(unusable.getMessage()));
    }
  }

  /**
   * @param target what is right, if the client says so apart from the prompt
   */
  private Said answer(Call call, Optional<String> target) {
    String prompt = call.conversation().prompt();
    Optional<Script.Line> line = script.find(prompt);
    if (line.isPresent()) {
      Said said = Said.of(line.get().answer()).taking(line.get().latency());
      return line.get().status().isPresent()
          ? said.with(new Trouble.Complaint(line.get().status().getAsInt(), said.text()))
          : said;
    }
    Directives turn = Directives.in(call.conversation().turn(), NAMES);
    List<ToolUse> calls = calls(call.offer(), turn);
    Said said =
        calls.isEmpty()
            ? Said.of(text(call, turn, target))
            : Said.of(turn.last("echo").orElse("")).with(calls);
    Said whole =
        said.with(reasoning(call, turn), cached(turn), headers(turn))
            .taking(turn.last("latency").map(word -> latency(new Given("[[latency]]", word))));
    return trouble(turn).map(whole::with).orElse(whole);
  }

  private static List<ToolUse> calls(Offer offer, Directives turn) {
    if (!offer.allowsCalls()) {
      return List.of();
    }
    List<ToolUse> calls = new ArrayList<>();
    for (String value : turn.values("tool")) {
      Matcher parts = TOOL.matcher(value);
      if (parts.matches()) {
        calls.add(new ToolUse(parts.group(1), parts.group(2).isEmpty() ? "{}" : parts.group(2)));
      }
    }
    if (!calls.isEmpty() || offer.choice() != Offer.Choice.FORCED) {
      return calls;
    }
    return List.of(new ToolUse(offer.preferred(), "{}"));
  }

  private String text(Call call, Directives turn, Optional<String> target) {
    String prompt = call.conversation().prompt();
    List<String> results = call.conversation().results();
    if (call.schema().isPresent()) {
      return turn.last("echo").orElseGet(() -> SchemaSample.of(call.schema().get()));
    }
    if (!results.isEmpty()) {
      return "The tool said: " + String.join("; ", results);
    }
    Directives all = Directives.in(prompt, NAMES);
    return all.last("echo")
        .or(
            () ->
                target
                    .filter(text -> !text.isBlank())
                    .or(() -> all.last("target"))
                    .map(right -> coin.answer(prompt, Optional.of(right))))
        .orElse(OTHERWISE);
  }

  private static String reasoning(Call call, Directives turn) {
    return turn.last("reasoning").orElse(call.reasoning().isWanted() ? THOUGHT : "");
  }

  private static Call.Cached cached(Directives turn) {
    return new Call.Cached(tokens(turn, "cached"), tokens(turn, "cache-write"));
  }

  private static int tokens(Directives turn, String name) {
    String value = turn.last(name).orElse("0");
    if (!value.matches("\\d{1,8}")) {
      throw wrong(name, "a number of tokens, as in [[%s: 100]]".formatted(name));
    }
    return Integer.parseInt(value);
  }

  private static Map<String, String> headers(Directives turn) {
    Map<String, String> headers = new LinkedHashMap<>();
    for (String value : turn.values("header")) {
      Matcher parts = HEADER.matcher(value);
      if (!parts.matches()) {
        throw wrong("header", "of the form [[header: name: value]], in ASCII");
      }
      String name = parts.group(1).toLowerCase(Locale.ROOT);
      if (OWN_HEADERS.contains(name)) {
        throw wrong("header", "another: the server itself sets " + name);
      }
      headers.put(name, parts.group(2));
    }
    return headers;
  }

  private static Optional<Trouble> trouble(Directives turn) {
    if (turn.has("status")) {
      return Optional.of(status(turn.last("status").orElse("")));
    }
    if (turn.has("stream-error")) {
      return Optional.of(new Trouble.StreamError(turn.last("stream-error").orElse("server_error")));
    }
    if (turn.has("truncate")) {
      return Optional.of(new Trouble.Truncated());
    }
    if (turn.has("html")) {
      return Optional.of(new Trouble.Html());
    }
    if (turn.has("notjson")) {
      return Optional.of(new Trouble.NotJson());
    }
    return turn.has("large")
        ? Optional.of(new Trouble.Large(bytes(turn.last("large").orElse(""))))
        : Optional.empty();
  }

  private static Trouble status(String value) {
    Matcher parts = STATUS.matcher(value);
    if (!parts.matches()) {
      throw wrong("status", "from 200 to 599, as in [[status: 503]] or [[status: 503 {…}]]");
    }
    int status = Integer.parseInt(parts.group(1));
    return parts.group(2).isEmpty() && status >= 400
        ? new Trouble.Complaint(status, "The prompt asked for this error.")
        : new Trouble.Raw(status, parts.group(2));
  }

  private static long bytes(String value) {
    Matcher parts = MEGABYTES.matcher(value);
    if (!parts.matches()) {
      throw wrong("large", "up to 9999 MB, as in [[large: 100 MB]]");
    }
    return Long.parseLong(parts.group(1)) << 20;
  }

  private static BadCallException wrong(String name, String rule) {
    return new BadCallException("The directive [[%s]] must be %s.".formatted(name, rule));
  }
}
