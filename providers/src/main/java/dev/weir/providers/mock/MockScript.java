package dev.weir.providers.mock;

import dev.weir.model.Request;
import dev.weir.model.Spelling;
import dev.weir.model.StopReason;
import dev.weir.model.ToolCall;
import dev.weir.model.Usage;
import dev.weir.providers.http.ConfigFile;
import dev.weir.providers.http.ConfigFile.Value;
import dev.weir.providers.http.Json;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A file of replies, YAML or JSON: a list of texts and of mappings.
 *
 * <pre>
 *   - Paris                                    a text
 *   - text: Let me look.                       more than a text
 *     tool_calls: [{name: search, arguments: {q: weir}}]
 *     usage: {input: 12, output: 3}
 *     latency: 200ms
 *   - error: {kind: rate_limited, retry_after: 2, message: slow down, status: 429}
 *   - match: capital of (Peru|Chile)           whenever the last text contains this
 *     text: Lima or Santiago
 * </pre>
 *
 * <p>The last text is what the user said, or what a tool gave back. Replies with {@code match} are
 * looked at first, in their order, and are never used up. All others are used once, in their order,
 * by whoever asks next: which of several samples that are open at once that is, chance decides.
 * After the last one, they begin again or a request fails.
 */
final class MockScript implements Replies {

  private static final List<String> KEYS =
      List.of("match", "text", "tool_calls", "stop_reason", "usage", "error", "latency");

  private final Path file;
  private final List<Matched> matched;
  private final List<ScriptedReply> inOrder;
  private final boolean cycle;

  // Guarded by this.
  private long used;

  private MockScript(Path file, List<Matched> matched, List<ScriptedReply> inOrder, boolean cycle) {
    this.file = file;
    this.matched = matched;
    this.inOrder = inOrder;
    this.cycle = cycle;
  }

  static MockScript read(Path file, boolean cycle) {
    Value root = ConfigFile.read(file, "a list of replies");
    List<Matched> matched = new ArrayList<>();
    List<ScriptedReply> inOrder = new ArrayList<>();
    for (Value value : root.list("the file")) {
      if (!value.isMapping()) {
        inOrder.add(ScriptedReply.text(value.text("a reply")));
        continue;
      }
      Map<String, Value> entries = value.mapping("a reply", KEYS);
      ScriptedReply reply = reply(value, entries);
      Value match = entries.get("match");
      if (match == null) {
        inOrder.add(reply);
      } else {
        matched.add(new Matched(pattern(match), reply));
      }
    }
    if (matched.isEmpty() && inOrder.isEmpty()) {
      throw root.problem("there must be at least one reply");
    }
    return new MockScript(file, List.copyOf(matched), List.copyOf(inOrder), cycle);
  }

  @Override
  public ScriptedReply next(Request request) {
    String asked = Replies.lastText(request);
    return matched.stream()
        .filter(candidate -> candidate.pattern().matcher(asked).find())
        .findFirst()
        .map(Matched::reply)
        .orElseGet(this::nextInOrder);
  }

  @Override
  public boolean hasErrors() {
    return Stream.concat(matched.stream().map(Matched::reply), inOrder.stream())
        .anyMatch(reply -> reply.error().isPresent());
  }

  private synchronized ScriptedReply nextInOrder() {
    if (inOrder.isEmpty() || (!cycle && used >= inOrder.size())) {
      String why =
          inOrder.isEmpty()
              ? "no `match` in %s fits the request".formatted(file)
              : "all %d replies of %s are used; -M exhausted=cycle begins again"
                  .formatted(inOrder.size(), file);
      return ScriptedReply.error(
          new ScriptedError(
              ScriptedError.Kind.INVALID_REQUEST, why, Optional.empty(), OptionalInt.empty()));
    }
    return inOrder.get((int) (used++ % inOrder.size()));
  }

  private static ScriptedReply reply(Value place, Map<String, Value> entries) {
    Value error = entries.get("error");
    boolean says = entries.containsKey("text") || entries.containsKey("tool_calls");
    if ((error != null) == says) {
      throw place.problem("a reply must have either `text` or `tool_calls`, or an `error`");
    }
    return new ScriptedReply(
        optional(entries, "text").map(value -> value.text("`text`")).orElse(""),
        optional(entries, "tool_calls").map(MockScript::toolCalls).orElse(List.of()),
        optional(entries, "stop_reason").map(MockScript::stopReason),
        optional(entries, "usage").map(MockScript::usage),
        optional(entries, "error").map(MockScript::error),
        optional(entries, "latency").map(value -> value.duration("`latency`")));
  }

  private static Optional<Value> optional(Map<String, Value> entries, String key) {
    return Optional.ofNullable(entries.get(key));
  }

  private static Pattern pattern(Value value) {
    String text = value.text("`match`");
    try {
      return Pattern.compile(text, Pattern.DOTALL);
    } catch (PatternSyntaxException malformed) {
      throw value.problem(
          "`match` must be a regular expression: %s in '%s'"
              .formatted(malformed.getDescription(), text));
    }
  }

  private static List<ToolCall> toolCalls(Value value) {
    List<ToolCall> calls = new ArrayList<>();
    for (Value member : value.list("`tool_calls`")) {
      Map<String, Value> entries =
          member.mapping("a tool call", List.of("id", "name", "arguments"));
      Value name = entries.get("name");
      if (name == null) {
        throw member.problem("a tool call must have a `name`");
      }
      calls.add(
          new ToolCall(
              optional(entries, "id").map(id -> id.text("`id`")).orElse("call_" + calls.size()),
              name.text("`name`"),
              optional(entries, "arguments").map(MockScript::arguments).orElse("{}")));
    }
    return calls;
  }

  /** A mapping becomes JSON; a text is taken as it is, so that a call can be malformed, too. */
  private static String arguments(Value value) {
    @Nullable Object tree = value.tree();
    return tree instanceof Map<?, ?> ? object(value) : value.text("`arguments`");
  }

  private static String object(Value value) {
    Map<String, Object> members = new LinkedHashMap<>();
    value.mapping("`arguments`").forEach((name, member) -> members.put(name, json(member)));
    return Json.text(members);
  }

  private static Object json(Value member) {
    Object tree = member.tree();
    return tree == null ? Json.ABSENT.embedded() : tree;
  }

  private static StopReason stopReason(Value value) {
    String word = value.text("`stop_reason`");
    List<String> words = Stream.of(StopReason.values()).map(StopReason::word).toList();
    return Stream.of(StopReason.values())
        .filter(reason -> reason.word().equals(word))
        .findFirst()
        .orElseThrow(
            () ->
                value.problem(
                    "unknown stop reason '%s'%s".formatted(word, Spelling.hint(word, words))));
  }

  private static Usage usage(Value value) {
    Map<String, Value> entries = value.mapping("`usage`", List.of("input", "output"));
    return new Usage(tokens(entries, "input"), tokens(entries, "output"));
  }

  private static long tokens(Map<String, Value> entries, String key) {
    return optional(entries, key)
        .map(value -> value.whole("`" + key + "`", 0, Integer.MAX_VALUE))
        .orElse(0L);
  }

  private static ScriptedError error(Value value) {
    Map<String, Value> entries =
        value.mapping("`error`", List.of("kind", "message", "retry_after", "status"));
    Value kind = entries.get("kind");
    if (kind == null) {
      throw value.problem(
          "an error must have a `kind`: " + String.join(", ", ScriptedError.Kind.words()));
    }
    String word = kind.text("`kind`");
    Optional<Duration> retryAfter =
        optional(entries, "retry_after").map(wait -> wait.duration("`retry_after`"));
    return new ScriptedError(
        ScriptedError.Kind.of(word)
            .orElseThrow(
                () ->
                    kind.problem(
                        "unknown kind of error '%s'%s"
                            .formatted(word, Spelling.hint(word, ScriptedError.Kind.words())))),
        optional(entries, "message").map(text -> text.text("`message`")).orElse(word),
        retryAfter,
        optional(entries, "status")
            .map(status -> OptionalInt.of((int) status.whole("`status`", 100, 599)))
            .orElse(OptionalInt.empty()));
  }

  private record Matched(Pattern pattern, ScriptedReply reply) {}
}
