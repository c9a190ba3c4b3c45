package dev.weir.eval.promptfoo;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A provider that is an address: a body of one's own is sent, and the answer is at a place in what
 * comes back. Becomes the description of an {@code http} model.
 */
final class HttpProvider {

  private static final Pattern GAP = Pattern.compile("\\{\\{\\s*([^{}]*?)\\s*}}");

  /** {@code json.choices[0].message.content}, alone or as a function of {@code json}. */
  private static final Pattern PATH =
      Pattern.compile(
          "(?:\\(?\\s*json\\s*(?:,[^)]*)?\\)?\\s*=>\\s*)?json((?:\\??\\.\\w+|(?:\\?\\.)?\\[(?:-?\\d+|'[^']+'|\"[^\"]+\")])*)\\s*;?");

  private HttpProvider() {}

  static boolean isOne(String id) {
    return id.equals("http") || id.equals("https") || id.matches("https?://.*");
  }

  /** The description as JSON; empty if it cannot be made, which is told. */
  static Optional<String> description(String id, Value config, Place place, Problems problems) {
    var section = new Section(config, "the config of an HTTP provider", problems);
    Map<String, @Nullable Object> description = new LinkedHashMap<>();
    description.put("url", section.text("url").orElse(id));
    section.text("method").ifPresent(method -> description.put("method", method));
    section.value("headers").ifPresent(headers -> description.put("headers", headers.plain()));
    Optional<Value> body = section.value("body");
    Optional<Value> path = section.value("transformResponse", "responseParser", "response_parser");
    for (String key :
        new String[] {
          "queryParams",
          "request",
          "session",
          "sessionParser",
          "signatureAuth",
          "auth",
          "tls",
          "validateStatus",
          "transformRequest",
          "multipart"
        }) {
      section.unsupported(
          key, "describe the server in a file for weir:http:FILE, see docs/models.md");
    }
    section.ignore("maxRetries");
    section.finish();
    if (body.isEmpty()) {
      problems.add(place, "an HTTP provider needs a `body` with {{prompt}}");
      return Optional.empty();
    }
    description.put("body", body(body.get(), problems));
    Matcher matched = PATH.matcher(path.flatMap(Value::text).orElse("").strip());
    if (!matched.matches()) {
      problems.unsupported(
          path.map(Value::place).orElse(place),
          "what is not a path in the answer",
          "give `transformResponse` such as json.choices[0].message.content");
      return Optional.empty();
    }
    String steps =
        String.valueOf(matched.group(1)).replace("?.[", "[").replace("?.", ".").replace('"', '\'');
    description.put("response", Map.of("text", "$" + steps));
    return Optional.of(Json.write(description));
  }

  private static @Nullable Object body(Value body, Problems problems) {
    Object plain =
        body.data() instanceof String text
            ? Json.parse(text).map(Json.Parsed::data).orElse(null)
            : body.plain();
    if (!(plain instanceof Map)) {
      problems.unsupported(
          body.place(), "a `body` that is no JSON object", "write it as a mapping");
    }
    Matcher gaps = GAP.matcher(Json.write(plain));
    while (gaps.find()) {
      if (!String.valueOf(gaps.group(1)).equals("prompt")) {
        problems.unsupported(
            body.place(),
            "%s in a `body`".formatted(gaps.group()),
            "only {{prompt}} can be there; put variables into the prompt");
      }
    }
    return plain;
  }
}
