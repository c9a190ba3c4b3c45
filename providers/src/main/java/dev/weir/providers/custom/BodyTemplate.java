package dev.weir.providers.custom;

import dev.weir.model.Spelling;
import dev.weir.providers.http.ConfigFile.Value;
import dev.weir.providers.http.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A body with gaps: {@code {{prompt}}}, {@code {{messages}}} and the other fields of {@link
 * ChatBody}. It is a tree and not a text, so what fills a gap is always escaped.
 *
 * <p>A text that is nothing but a gap becomes the value itself, a list for {@code {{messages}}}; if
 * the request leaves it open, it is left out of the body. In a longer text a gap is filled with
 * text.
 */
final class BodyTemplate {

  private static final Pattern GAP = Pattern.compile("\\{\\{\\s*([^{}]*?)\\s*}}");

  private final Part root;
  private final boolean offersTools;
  private final Map<String, String> constants;

  private BodyTemplate(Part root, boolean offersTools, Map<String, String> constants) {
    this.constants = constants;
    this.root = root;
    this.offersTools = offersTools;
  }

  static BodyTemplate of(Value body) {
    if (!body.isMapping()) {
      throw body.problem("`body` must be a mapping; JSON may be written as it is");
    }
    List<String> gaps = new ArrayList<>();
    Part root = part(body, gaps);
    return new BodyTemplate(root, gaps.contains("tools"), constants(body));
  }

  private static Map<String, String> constants(Value body) {
    Object tree = body.tree();
    Json written =
        Json.parseOrAbsent(Json.text(Map.of("body", tree == null ? Map.of() : tree))).at("body");
    Map<String, String> constants = new LinkedHashMap<>();
    written.names().forEach(name -> constants.put(name, written.at(name).toString()));
    return constants;
  }

  /** Its fields as JSON, with gaps as they were written. */
  Map<String, String> constants() {
    return constants;
  }

  /** Whether the server gets to know tools. */
  boolean offersTools() {
    return offersTools;
  }

  /**
   * @param more fields to add, each a JSON text; they win
   */
  byte[] fill(Map<String, Object> fields, Map<String, String> more) {
    Map<String, Object> body = new LinkedHashMap<>();
    if (root.fill(fields).orElse(Map.of()) instanceof Map<?, ?> members) {
      members.forEach((name, value) -> body.put(String.valueOf(name), value));
    }
    more.forEach((name, json) -> body.put(name, Json.embed(json)));
    return Json.write(body);
  }

  private static Part part(Value value, List<String> gaps) {
    if (value.isMapping()) {
      Map<String, Part> members = new LinkedHashMap<>();
      value.mapping("`body`").forEach((name, member) -> members.put(name, part(member, gaps)));
      return fields -> Optional.of(filled(members, fields));
    }
    if (value.isList()) {
      List<Part> members = value.list("`body`").stream().map(m -> part(m, gaps)).toList();
      return fields ->
          Optional.of(members.stream().flatMap(member -> member.fill(fields).stream()).toList());
    }
    Object scalar = value.tree();
    if (!(scalar instanceof String text)) {
      Object constant = scalar == null ? Json.ABSENT.embedded() : scalar;
      return _ -> Optional.of(constant);
    }
    return text(value, text, gaps);
  }

  private static Map<String, Object> filled(Map<String, Part> members, Map<String, Object> fields) {
    Map<String, Object> filled = new LinkedHashMap<>();
    members.forEach((name, part) -> part.fill(fields).ifPresent(v -> filled.put(name, v)));
    return filled;
  }

  private static Part text(Value value, String text, List<String> gaps) {
    Variables.refuseIn(value, text);
    Matcher matcher = GAP.matcher(text);
    while (matcher.find()) {
      String name = matcher.group(1);
      if (!ChatBody.FIELDS.contains(name)) {
        throw value.problem(
            "unknown gap '{{%s}}'%s".formatted(name, Spelling.hint(name, ChatBody.FIELDS)));
      }
      gaps.add(name);
    }
    if (matcher.reset().matches()) {
      String name = matcher.group(1);
      return fields -> Optional.ofNullable(fields.get(name));
    }
    return fields ->
        Optional.of(
            GAP.matcher(text)
                .replaceAll(
                    match -> Matcher.quoteReplacement(inserted(fields.get(match.group(1))))));
  }

  private static String inserted(@Nullable Object value) {
    return switch (value) {
      case null -> "";
      case String text -> text;
      default -> Json.parseOrAbsent(Json.text(Map.of("value", value))).at("value").toString();
    };
  }

  /** A part of the body; empty if the request leaves open what would be there. */
  @FunctionalInterface
  private interface Part {

    Optional<Object> fill(Map<String, Object> fields);
  }
}
