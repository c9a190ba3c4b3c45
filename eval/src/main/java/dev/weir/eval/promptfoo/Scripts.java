package dev.weir.eval.promptfoo;

import dev.weir.eval.promptfoo.ScriptEngine.Form;
import dev.weir.eval.promptfoo.ScriptEngine.Script;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Makes scripts of what a configuration says; tells of what is wrong with them. */
final class Scripts {

  private static final Pattern MODULE = Pattern.compile("(file://.*\\.[cm]?js)(?::(\\w+))?");
  private static final Pattern OTHER =
      Pattern.compile("file://.*\\.(ts|mts|cts|py|rb)(?::\\w+)?|python:.*", Pattern.DOTALL);

  private final ConfigFiles files;
  private final Problems problems;
  private final Optional<ScriptEngine> engine;

  Scripts(ConfigFiles files, Problems problems, Optional<ScriptEngine> engine) {
    this.files = files;
    this.problems = problems;
    this.engine = engine;
  }

  /** A transform over {@code output} or {@code vars}, and {@code context}. */
  Optional<Transform> transform(Value value, String subject) {
    Optional<String> text = value.text();
    if (text.isEmpty()) {
      problems.add(value.place(), "a transform must be JavaScript, as text");
      return Optional.empty();
    }
    return script(text.get(), value.place(), List.of(subject, "context"))
        .map(script -> new Transform(script, files.fingerprint(value), value.place()));
  }

  /** A text that is a template, and so a script only when it is filled; a file is none. */
  Optional<ScriptTemplate> template(Value value, List<String> parameters) {
    String text = value.text().orElse("");
    if (engine.isEmpty() || ConfigFiles.isReference(text) || Templates.isConstant(text)) {
      return Optional.empty();
    }
    Templates.check(value, "value", problems);
    return Optional.of(new ScriptTemplate(engine.get(), text, value.place(), parameters));
  }

  /** An expression, the body of a function, or {@code file://module.js:name}. */
  Optional<Script> script(String text, Place place, List<String> parameters) {
    if (OTHER.matcher(text).matches()) {
      problems.unsupported(place, "'%s' here".formatted(shortened(text)), "use JavaScript");
      return Optional.empty();
    }
    if (engine.isEmpty()) {
      problems.add(
          place,
          "this is JavaScript, which needs the module weir-scripting on the class path; add it, for"
              + " ./weir with the variable WEIR_CLASSPATH");
      return Optional.empty();
    }
    Matcher module = MODULE.matcher(text);
    if (!module.matches()) {
      return compiled(place.toString(), text, Form.INLINE, "", parameters, place);
    }
    List<Path> found = files.find(String.valueOf(module.group(1)), place);
    String export = module.group(2);
    return found.isEmpty()
        ? Optional.empty()
        : files
            .text(found.getFirst(), place)
            .flatMap(
                source ->
                    compiled(
                        found.getFirst().toString(),
                        source,
                        Form.MODULE,
                        export == null ? "" : export,
                        parameters,
                        place));
  }

  private Optional<Script> compiled(
      String name, String source, Form form, String export, List<String> parameters, Place place) {
    try {
      return engine.map(found -> found.compile(name, source, form, export, parameters));
    } catch (ScriptException malformed) {
      problems.add(place, String.valueOf(malformed.getMessage()));
      return Optional.empty();
    }
  }

  private static String shortened(String text) {
    String line = text.lines().findFirst().orElse("");
    return line.length() <= 60 ? line : line.substring(0, 60) + "…";
  }
}
