package dev.weir.eval.template;

import com.hubspot.jinjava.Jinjava;
import com.hubspot.jinjava.lib.exptest.ExpTest;
import com.hubspot.jinjava.lib.filter.Filter;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Spelling;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The filters and tests that an engine knows. It takes an unknown one, and all that it is used on,
 * for nothing.
 *
 * @param disabled filters that are there, and may not be used
 */
record Vocabulary(Jinjava engine, Set<String> disabled) {

  private static final Pattern NO_TEMPLATE =
      Pattern.compile("\\{%-?\\s*raw\\s*-?%}.*?\\{%-?\\s*endraw\\s*-?%}|\\{#.*?#}", Pattern.DOTALL);
  private static final Pattern CODE = Pattern.compile("\\{\\{.*?}}|\\{%.*?%}", Pattern.DOTALL);
  private static final Pattern STRING =
      Pattern.compile("'(?:\\\\.|[^'\\\\])*'|\"(?:\\\\.|[^\"\\\\])*\"", Pattern.DOTALL);
  private static final Pattern FILTER = Pattern.compile("(?<!\\|)\\|(?!\\|)\\s*([A-Za-z_]\\w*)");
  private static final Pattern TEST =
      Pattern.compile("(?<![\\w.])is\\s+(?:not\\s+)?([A-Za-z_]\\w*)");

  /** A name that is not known, told by the parser of an expression. */
  static final class UnknownException extends RuntimeException {

    private static final long serialVersionUID = 1;

    UnknownException(String problem) {
      super(problem);
    }
  }

  /**
   * Looks at a whole text, whatever of it is rendered in the end.
   *
   * @throws ConfigurationException at the first name that is not known
   */
  void require(String text, TextPlace place) {
    Matcher code = CODE.matcher(blanked(NO_TEMPLATE, text));
    while (code.find()) {
      String bare = blanked(STRING, code.group());
      Matcher filter = FILTER.matcher(bare);
      while (filter.find()) {
        String name = filter.group(1);
        if (disabled.contains(name)) {
          throw Template.problem(
              place, text, code.start() + filter.start(1), "'%s' is not available".formatted(name));
        }
        if (!hasFilter(name)) {
          throw Template.problem(place, text, code.start() + filter.start(1), noFilter(name));
        }
      }
      Matcher test = TEST.matcher(bare);
      while (test.find()) {
        if (!hasTest(test.group(1))) {
          throw Template.problem(place, text, code.start() + test.start(1), noTest(test.group(1)));
        }
      }
    }
  }

  /** Of the same length, so that places stay what they are. */
  private static String blanked(Pattern part, String text) {
    return part.matcher(text).replaceAll(found -> " ".repeat(found.group().length()));
  }

  /**
   * The same for a name in an expression that was parsed: none gets past it.
   *
   * @param prefixed as the parser calls it
   */
  void require(String prefixed) {
    String name = prefixed.substring(prefixed.indexOf(':') + 1);
    if (prefixed.startsWith("filter:") && !hasFilter(name)) {
      throw new UnknownException(noFilter(name));
    }
    if (prefixed.startsWith("exptest:") && !hasTest(name)) {
      throw new UnknownException(noTest(name));
    }
  }

  private boolean hasFilter(String name) {
    return engine.getGlobalContext().getFilter(name) != null;
  }

  private boolean hasTest(String name) {
    return engine.getGlobalContext().getExpTest(name) != null;
  }

  private String noFilter(String name) {
    List<String> known =
        engine.getGlobalContext().getAllFilters().stream()
            .map(Filter::getName)
            .filter(one -> !disabled.contains(one))
            .toList();
    return "there is no filter '%s'%s".formatted(name, Spelling.hint(name, known));
  }

  private String noTest(String name) {
    List<String> known =
        engine.getGlobalContext().getAllExpTests().stream().map(ExpTest::getName).toList();
    return "there is no test '%s'%s".formatted(name, Spelling.hint(name, known));
  }
}
