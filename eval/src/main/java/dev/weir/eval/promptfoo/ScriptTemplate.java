package dev.weir.eval.promptfoo;

import dev.weir.eval.promptfoo.ScriptEngine.Form;
import dev.weir.eval.promptfoo.ScriptEngine.Script;
import dev.weir.model.ConfigurationException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A template that becomes JavaScript when it is filled, and may become none.
 *
 * @param place where it stands, for people
 */
record ScriptTemplate(ScriptEngine engine, String text, Place place, List<String> parameters) {

  /**
   * @throws ScriptException if this is no JavaScript
   */
  Script filled(Templates templates, Map<String, @Nullable Object> variables) {
    return engine.compile(
        place.toString(), templates.render(text, variables), Form.INLINE, "", parameters);
  }

  /** Tells if it becomes no JavaScript for a test, which else would show when a model answered. */
  void tryWith(TestCase test, Problems problems) {
    try {
      var _ = filled(Templates.WITHOUT_ENVIRONMENT, test.vars());
    } catch (ScriptException unreadable) {
      // Without what it became: variables may hold what is not for everybody.
      problems.add(
          place,
          "filled with the variables of the test at %s, %s"
              .formatted(test.place(), unreadable.getMessage()));
    } catch (ConfigurationException unfilled) {
      problems.add(
          place,
          "this cannot be filled with the variables of the test at %s: %s"
              .formatted(test.place(), unfilled.getMessage()));
    }
  }
}
