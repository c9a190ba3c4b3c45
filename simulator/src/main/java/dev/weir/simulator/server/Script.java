package dev.weir.simulator.server;

import dev.weir.model.ConfigurationException;
import dev.weir.model.Spelling;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Answers from a file, by prompt: a JSON object per line, of which the first that matches counts.
 *
 * <pre>
 *   {"match": "capital of France", "answer": "Paris"}
 *   {"match": "/sum of \\d+/", "answer": "I cannot add", "latency": "2s"}
 *   {"match": "forbidden", "answer": "No.", "status": 400}
 *   {"answer": "for all others"}
 * </pre>
 */
final class Script {

  static final Script EMPTY = new Script(List.of());

  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();
  private static final List<String> KEYS = List.of("match", "answer", "status", "latency");

  private final List<Line> lines;

  private Script(List<Line> lines) {
    this.lines = List.copyOf(lines);
  }

  /**
   * @param status an error with the answer as its message, instead of an answer
   */
  record Line(
      Predicate<String> match, String answer, OptionalInt status, Optional<Duration> latency) {}

  Optional<Line> find(String prompt) {
    return lines.stream().filter(line -> line.match.test(prompt)).findFirst();
  }

  static Script read(Given given) {
    Path file = given.path();
    List<String> texts;
    try {
      texts = Files.readAllLines(file, StandardCharsets.UTF_8);
    } catch (NoSuchFileException missing) {
      throw new ConfigurationException(
          "%s: there is no file %s".formatted(given.origin(), file), missing);
    } catch (MalformedInputException notText) {
      throw new ConfigurationException(
          "%s: %s is not text in UTF-8".formatted(given.origin(), file), notText);
    } catch (IOException failed) {
      throw new ConfigurationException(
          "%s: %s could not be read: %s".formatted(given.origin(), file, failed), failed);
    }
    List<Line> lines = new ArrayList<>();
    for (int i = 0; i < texts.size(); i++) {
      if (!texts.get(i).isBlank()) {
        lines.add(new Reader("%s, line %d".formatted(file, i + 1)).line(texts.get(i)));
      }
    }
    return new Script(lines);
  }

  private record Reader(String place) {

    Line line(String text) {
      JsonNode node;
      try {
        node = JSON.readTree(text);
      } catch (JacksonException malformed) {
        throw new ConfigurationException(
            "%s is not JSON: %s".formatted(place, malformed.getOriginalMessage()), malformed);
      }
      if (!node.isObject()) {
        throw wrong("must be a JSON object such as {\"match\": \"text\", \"answer\": \"text\"}");
      }
      for (String key : node.propertyNames()) {
        if (!KEYS.contains(key)) {
          throw wrong("has no key '%s'%s".formatted(key, Spelling.hint(key, KEYS)));
        }
      }
      return new Line(match(node), text(node, "answer"), status(node), latency(node));
    }

    private Predicate<String> match(JsonNode node) {
      if (!node.has("match")) {
        return _ -> true;
      }
      String match = text(node, "match");
      if (match.length() < 2 || !match.startsWith("/") || !match.endsWith("/")) {
        return prompt -> prompt.contains(match);
      }
      try {
        return Pattern.compile(match.substring(1, match.length() - 1)).asPredicate();
      } catch (PatternSyntaxException malformed) {
        throw wrong("has a `match` that is no regular expression: " + malformed.getDescription());
      }
    }

    private OptionalInt status(JsonNode node) {
      JsonNode status = node.get("status");
      if (status == null || (status.isInt() && status.asInt() == 200)) {
        return OptionalInt.empty();
      }
      if (!status.isInt() || status.asInt() < 400 || status.asInt() > 599) {
        throw wrong("must have a `status` of 200 or from 400 to 599, was " + status);
      }
      return OptionalInt.of(status.asInt());
    }

    private Optional<Duration> latency(JsonNode node) {
      return node.has("latency")
          ? Optional.of(new Given(place + ": `latency`", text(node, "latency")).duration())
          : Optional.empty();
    }

    private String text(JsonNode node, String key) {
      JsonNode value = node.get(key);
      if (value == null || !value.isString()) {
        throw wrong("must have a text as `%s`".formatted(key));
      }
      return value.asString();
    }

    private ConfigurationException wrong(String rule) {
      return new ConfigurationException(place + " " + rule);
    }
  }
}
