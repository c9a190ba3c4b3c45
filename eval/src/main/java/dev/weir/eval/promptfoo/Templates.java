package dev.weir.eval.promptfoo;

import com.hubspot.jinjava.Jinjava;
import com.hubspot.jinjava.JinjavaConfig;
import com.hubspot.jinjava.LegacyOverrides;
import com.hubspot.jinjava.interpret.JinjavaInterpreter;
import com.hubspot.jinjava.interpret.RenderResult;
import com.hubspot.jinjava.interpret.TemplateError;
import com.hubspot.jinjava.lib.filter.Filter;
import dev.weir.model.ConfigurationException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Fills templates as promptfoo does: an unknown variable is nothing. Most templates are texts with
 * plain gaps, which are filled here; what has tags or filters is left to Jinjava. Thread-safe.
 */
final class Templates {

  private static final Pattern PLAIN_GAP =
      Pattern.compile("\\{\\{-?\\s*([\\w$]+(?:\\.\\w+)*)\\s*-?}}");
  private static final long LARGEST_OUTPUT = 32 << 20;

  private final Map<String, String> environment;

  Templates(Map<String, String> environment) {
    this.environment = environment;
  }

  /**
   * @throws ConfigurationException if it is no template
   */
  String render(String template, Map<String, @Nullable Object> variables) {
    if (!template.contains("{{") && !template.contains("{%") && !template.contains("{#")) {
      return template;
    }
    if (isPlain(template)) {
      return PLAIN_GAP
          .matcher(template)
          .replaceAll(gap -> Matcher.quoteReplacement(shown(lookup(gap.group(1), variables))));
    }
    return Engine.render(template, context(variables));
  }

  /** Each text within lists and mappings, too. */
  @Nullable Object renderAll(@Nullable Object plain, Map<String, @Nullable Object> variables) {
    return switch (plain) {
      case String text -> render(text, variables);
      case List<?> list -> {
        List<@Nullable Object> members = new ArrayList<>();
        list.forEach(member -> members.add(renderAll(member, variables)));
        yield members;
      }
      case Map<?, ?> map -> {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        map.forEach(
            (key, value) ->
                members.put(render(String.valueOf(key), variables), renderAll(value, variables)));
        yield members;
      }
      case null -> null;
      default -> plain;
    };
  }

  private static boolean isPlain(String template) {
    return !template.contains("{%")
        && !template.contains("{#")
        && !PLAIN_GAP.matcher(template).replaceAll("").contains("{{");
  }

  private @Nullable Object lookup(@Nullable String path, Map<String, @Nullable Object> variables) {
    @Nullable Object at = null;
    boolean first = true;
    for (String step : String.valueOf(path).split("\\.", -1)) {
      if (first) {
        at = variables.containsKey(step) || !step.equals("env") ? variables.get(step) : environment;
        first = false;
      } else {
        at = at instanceof Map<?, ?> map ? map.get(step) : item(at, step);
      }
    }
    return at;
  }

  private static @Nullable Object item(@Nullable Object list, String step) {
    if (!(list instanceof List<?> items)) {
      return list instanceof String text && step.equals("length") ? text.length() : null;
    }
    if (step.equals("length")) {
      return items.size();
    }
    return step.matches("\\d{1,6}") && Integer.parseInt(step) < items.size()
        ? items.get(Integer.parseInt(step))
        : null;
  }

  private static String shown(@Nullable Object value) {
    return switch (value) {
      case null -> "";
      case Map<?, ?> map -> Json.write(map);
      case List<?> list -> Json.write(list);
      default -> Json.scalarText(value);
    };
  }

  private Map<String, @Nullable Object> context(Map<String, @Nullable Object> variables) {
    Map<String, @Nullable Object> context = new LinkedHashMap<>();
    context.put("env", environment);
    variables.forEach((name, value) -> context.put(name, value));
    return context;
  }

  /** Loaded with the first template that needs it. */
  private static final class Engine {

    // The default demands blanks within braces, and leaves {{x}} as it is without a word.
    @SuppressWarnings("deprecation")
    private static final Jinjava JINJAVA =
        new Jinjava(
            JinjavaConfig.newBuilder()
                .withMaxOutputSize(LARGEST_OUTPUT)
                .withMaxRenderDepth(20)
                .withLegacyOverrides(
                    LegacyOverrides.newBuilder()
                        .withWhitespaceRequiredWithinTokens(false)
                        .withEvaluateMapKeys(true)
                        .build())
                .build());

    static {
      JINJAVA.getGlobalContext().registerFilter(new Dump());
    }

    static String render(String template, Map<String, @Nullable Object> context) {
      RenderResult result = JINJAVA.renderForResult(template, context);
      for (TemplateError error : result.getErrors()) {
        if (error.getSeverity() == TemplateError.ErrorType.FATAL) {
          throw new ConfigurationException(
              "the template cannot be filled: %s (its line %d)"
                  .formatted(error.getMessage(), error.getLineno()));
        }
      }
      return result.getOutput();
    }
  }

  /** The filter that writes a value as JSON. */
  private static final class Dump implements Filter {

    @Override
    public String getName() {
      return "dump";
    }

    @Override
    public Object filter(
        @Nullable Object value, JinjavaInterpreter interpreter, String... arguments) {
      return Json.write(value);
    }
  }
}
