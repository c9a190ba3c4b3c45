package dev.weir.eval.template;

import com.hubspot.jinjava.JinjavaConfig;
import com.hubspot.jinjava.LegacyOverrides;
import com.hubspot.jinjava.interpret.Context;
import com.hubspot.jinjava.interpret.JinjavaInterpreter;
import com.hubspot.jinjava.interpret.RenderResult;
import com.hubspot.jinjava.interpret.TemplateError;
import com.hubspot.jinjava.loader.ResourceNotFoundException;
import com.hubspot.jinjava.tree.Node;
import dev.weir.model.ConfigurationException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The Jinja engine, shut in: templates see what they are given and nothing else. Loaded with this
 * class, so only when a template needs it.
 */
final class JinjaEngine {

  /** Room for a long document with a prompt around it. */
  private static final long MOST_OUTPUT = 16L << 20;

  private static final int MOST_STEPS = 100_000;
  private static final int MOST_ITEMS = 100_000;
  private static final int DEEPEST = 20;
  private static final String STEPS = "weir_steps";

  /** What reaches other files, or differs from run to run. */
  private static final Map<Context.Library, Set<String>> DISABLED =
      Map.of(
          Context.Library.TAG,
          Set.of("include", "import", "from", "extends", "block"),
          Context.Library.FILTER,
          Set.of("random", "shuffle", "render"),
          Context.Library.FUNCTION,
          Set.of(":today", ":unixtimestamp", ":type", ":super"));

  private static final Pattern UNKNOWN =
      Pattern.compile("Unknown token found: (.*)", Pattern.DOTALL);
  private static final Pattern MEMBER =
      Pattern.compile("Cannot (?:resolve property|find method) '([^']*)'");
  private static final Pattern OPEN =
      Pattern.compile("Missing end tag: (\\w+) for tag defined as: (.*)");
  private static final Pattern ABOUT_THE_TEXT =
      Pattern.compile(
          "^Syntax error in|^Unclosed |Could not resolve function|more than \\d+ steps");
  private static final List<String> OWN =
      List.of(Arithmetic.BY_ZERO, Ranges.TOO_LONG, Ranges.NO_STEP, Ranges.NO_NUMBERS);
  private static final Pattern RESOLVED = Pattern.compile("resolving expression \\[(.*?)]:");
  private static final Pattern EMPTY = Pattern.compile("\\{\\{-?\\s*-?}}");
  private static final Pattern RAW =
      Pattern.compile("\\{%-?\\s*raw\\s*-?%}.*?\\{%-?\\s*endraw\\s*-?%}", Pattern.DOTALL);
  private static final Pattern NAME = Pattern.compile("(?<![\\w.'\"])([A-Za-z_]\\w*)");

  private static final Arithmetic ENGINE = engine(true);

  /** Loaded with the first template that may speak of what is not there. */
  private static final class Lenient {

    private static final Arithmetic ENGINE = engine(false);

    static {
      Nunjucks.addTo(ENGINE.getGlobalContext());
    }
  }

  private JinjaEngine() {}

  // Marked for the next generation of the engine; this one has no other way for all of it.
  @SuppressWarnings("deprecation")
  private static Arithmetic engine(boolean strict) {
    var engine =
        new Arithmetic(
            JinjavaConfig.newBuilder()
                .withLegacyOverrides(
                    LegacyOverrides.Builder.from(LegacyOverrides.ALL)
                        // Otherwise {{x}} would stay as it is, without an error.
                        .withWhitespaceRequiredWithinTokens(false)
                        .withDefaultKeepTrailingNewlineBehavior(true)
                        .build())
                .withKeepTrailingNewline(true)
                .withLocale(Locale.ROOT)
                .withFailOnUnknownTokens(strict)
                .withNestedInterpretationEnabled(false)
                .withElResolver(new SafeResolver())
                .withDisabled(DISABLED)
                .withMaxOutputSize(MOST_OUTPUT)
                .withMaxStringLength(MOST_OUTPUT)
                .withMaxListSize(MOST_ITEMS)
                .withMaxMapSize(MOST_ITEMS)
                .withMaxRenderDepth(DEEPEST)
                .withNodePreProcessor(JinjaEngine::countStep)
                .build(),
            DISABLED.getOrDefault(Context.Library.FILTER, Set.of()));
    engine.getGlobalContext().registerFunction(Ranges.function());
    engine.setResourceLocator(
        (name, _, _) -> {
          throw new ResourceNotFoundException("templates cannot read files: " + name);
        });
    return engine;
  }

  /** Loops in loops would otherwise take as long as they like. */
  private static void countStep(Node node, JinjavaInterpreter interpreter) {
    int[] steps = (int[]) interpreter.getContext().get(STEPS);
    if (steps != null && ++steps[0] > MOST_STEPS) {
      throw new IllegalStateException("it takes more than %s steps".formatted(MOST_STEPS));
    }
  }

  /**
   * @throws ConfigurationException if it is no template
   */
  static void check(String text, TextPlace place) {
    check(ENGINE, text, place);
    Matcher empty = EMPTY.matcher(RAW.matcher(text).replaceAll(""));
    if (empty.find()) {
      throw Template.problem(
          place, text, text.indexOf(empty.group()), "there is nothing between {{ and }}");
    }
  }

  /** The same for {@link #renderLeniently}. */
  static void checkLeniently(String text, TextPlace place) {
    check(Lenient.ENGINE, text, place);
  }

  @SuppressWarnings("deprecation") // As above.
  private static void check(Arithmetic engine, String text, TextPlace place) {
    JinjavaInterpreter interpreter = engine.newInterpreter();
    JinjavaInterpreter.pushCurrent(interpreter);
    try {
      interpreter.parse(text);
    } finally {
      JinjavaInterpreter.popCurrent();
    }
    for (TemplateError error : interpreter.getErrorsCopy()) {
      throw problem(text, place, error, Map.of());
    }
    engine.vocabulary().require(text, place);
  }

  static String render(String text, TextPlace place, Map<String, @Nullable Object> variables) {
    RenderResult result = ENGINE.renderForResult(text, given(variables));
    // What the engine only warns of, such as a member that is not there, would be a wrong prompt.
    for (TemplateError error : result.getErrors()) {
      throw problem(text, place, error, variables);
    }
    return result.getOutput();
  }

  /**
   * What the first unknown name is, if there is one. Other problems may depend on values that are
   * not known yet.
   */
  static Optional<ConfigurationException> missing(
      String text, TextPlace place, Map<String, @Nullable Object> variables) {
    return ENGINE.renderForResult(text, given(variables)).getErrors().stream()
        .filter(error -> isUnknownName(error, variables))
        .findFirst()
        .map(error -> problem(text, place, error, variables));
  }

  private static boolean isUnknownName(
      TemplateError error, Map<String, @Nullable Object> variables) {
    Matcher unknown = UNKNOWN.matcher(String.valueOf(error.getMessage()));
    if (!unknown.find()) {
      return false;
    }
    String token = unknown.group(1).strip();
    Matcher name = NAME.matcher(token);
    return token.startsWith("metadata.")
        || (name.lookingAt() && !variables.containsKey(name.group(1)));
  }

  /** The same, but what is not there is nothing. */
  static String renderLeniently(
      String text, TextPlace place, Map<String, @Nullable Object> variables) {
    RenderResult result = Lenient.ENGINE.renderForResult(text, given(variables));
    for (TemplateError error : result.getErrors()) {
      if (error.getSeverity() == TemplateError.ErrorType.FATAL
          || error.getReason() == TemplateError.ErrorReason.DISABLED) {
        throw problem(text, place, error, variables);
      }
    }
    return result.getOutput();
  }

  private static Map<String, Object> given(Map<String, @Nullable Object> variables) {
    Map<String, Object> given = new LinkedHashMap<>();
    variables.forEach((name, value) -> given.put(name, clean(value)));
    int[] steps = {0};
    given.put(STEPS, steps);
    return given;
  }

  /** Values of known kinds alone, so that no object of ours is in reach. */
  private static Object clean(@Nullable Object value) {
    return switch (value) {
      case null -> "";
      case String text -> text;
      case Number number -> number;
      case Boolean flag -> flag;
      case Map<?, ?> map -> {
        Map<String, Object> members = new LinkedHashMap<>();
        map.forEach((key, member) -> members.put(String.valueOf(key), clean(member)));
        yield members;
      }
      case Iterable<?> items -> {
        List<Object> list = new ArrayList<>();
        items.forEach(item -> list.add(clean(item)));
        yield list;
      }
      default -> value.toString();
    };
  }

  private static ConfigurationException problem(
      String text, TextPlace place, TemplateError error, Map<String, @Nullable Object> known) {
    int offset = offset(text, error);
    String message = String.valueOf(error.getMessage());
    Matcher unknown = UNKNOWN.matcher(message);
    if (unknown.find()) {
      return unknown(text, place, offset, unknown.group(1).strip(), known);
    }
    return Template.problem(
        place, text, offset, "the template cannot be used: " + explanation(error, message));
  }

  /** Messages of the engine hold values, which are nobody's business; so most are said anew. */
  private static String explanation(TemplateError error, String message) {
    Optional<String> own = ownWords(error, message);
    if (own.isPresent()) {
      return own.get();
    }
    if (message.contains("/ by zero") || message.contains("must be non-zero")) {
      return Arithmetic.BY_ZERO;
    }
    if (message.startsWith("Cannot coerce")) {
      return "'%s' has values of the wrong kind".formatted(error.getFieldName());
    }
    Matcher member = MEMBER.matcher(message);
    if (member.find()) {
      return "there is no '%s' in what stands before it".formatted(member.group(1));
    }
    Matcher open = OPEN.matcher(message);
    if (open.find()) {
      return "%s has no {%% %s %%}".formatted(open.group(2).strip(), open.group(1));
    }
    if (ABOUT_THE_TEXT.matcher(message).find()) {
      return message.replaceFirst("^[A-Za-z.]*(?:Exception|Error): ", "");
    }
    return switch (error.getReason()) {
      case OUTPUT_TOO_BIG, COLLECTION_TOO_BIG -> "what it makes is too large";
      case INVALID_INPUT, INVALID_ARGUMENT ->
          isName(error)
              ? "'%s' cannot be used with what it is given".formatted(error.getFieldName())
              : "an expression in it cannot be evaluated";
      case DISABLED -> "'%s' is not available".formatted(error.getFieldName());
      default ->
          error.getFieldName() == null
                  || error.getFieldName().isBlank()
                  || error.getFieldName().startsWith("com.hubspot.")
              ? "an expression in it cannot be evaluated"
              : "'%s' cannot be evaluated".formatted(error.getFieldName());
    };
  }

  /** What was thrown here is a cause of what the engine throws. */
  private static Optional<String> ownWords(TemplateError error, String message) {
    StringBuilder said = new StringBuilder(message);
    Throwable cause = error.getException();
    for (int depth = 0; cause != null && depth < DEEPEST; depth++, cause = cause.getCause()) {
      if (cause instanceof Vocabulary.UnknownException unknown) {
        return Optional.ofNullable(unknown.getMessage());
      }
      said.append(' ').append(cause.getMessage());
    }
    return OWN.stream().filter(words -> said.indexOf(words) >= 0).findFirst();
  }

  private static boolean isName(TemplateError error) {
    return error.getFieldName() != null && error.getFieldName().matches("\\w+");
  }

  private static ConfigurationException unknown(
      String text, TextPlace place, int offset, String token, Map<String, @Nullable Object> known) {
    int at = Math.max(offset, text.indexOf(token, Math.max(0, offset)));
    Matcher name = NAME.matcher(token);
    if (name.lookingAt() && !known.containsKey(name.group(1))) {
      return Template.missing(place, text, at, "", name.group(1), known);
    }
    return Template.problem(place, text, at, "there is no '%s'".formatted(token));
  }

  /**
   * Lines are counted from 1, places in them as well; neither is always known. The expression then
   * tells more.
   */
  private static int offset(String text, TemplateError error) {
    int offset = 0;
    for (int line = 1; line < error.getLineno(); line++) {
      int end = text.indexOf('\n', offset);
      offset = end < 0 ? offset : end + 1;
    }
    if (error.getStartPosition() > 1) {
      return offset + error.getStartPosition() - 1;
    }
    Matcher resolved = RESOLVED.matcher(String.valueOf(error.getMessage()));
    String expression = resolved.find() ? resolved.group(1) : error.getFieldName();
    int found = expression == null || expression.isBlank() ? -1 : text.indexOf(expression, offset);
    return found < 0 ? offset : found;
  }
}
