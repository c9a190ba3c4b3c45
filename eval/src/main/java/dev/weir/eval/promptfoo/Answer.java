package dev.weir.eval.promptfoo;

import dev.weir.eval.sample.Used;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An answer that is judged.
 *
 * @param output text, or what a JSON answer, a tool call or a transform made of it
 * @param prompt what was asked
 * @param used what the call took; empty if there was none
 * @param target whose answer it is
 */
record Answer(
    @Nullable Object output,
    String prompt,
    TestCase test,
    Optional<Used> used,
    Target target,
    Templates templates) {

  /** The output as one text; JSON if it is none. */
  String text() {
    return Json.text(output);
  }

  Answer withOutput(@Nullable Object changed) {
    return new Answer(changed, prompt, test, used, target, templates);
  }

  /** A template filled with the variables of the test. */
  String fill(String template) {
    return templates.render(template, test.vars());
  }

  @Nullable Object fillAll(@Nullable Object plain) {
    return templates.renderAll(plain, test.vars());
  }

  /** What scripts see beside the output. */
  Map<String, @Nullable Object> scriptContext(@Nullable Object config) {
    Map<String, @Nullable Object> about = new LinkedHashMap<>();
    about.put("vars", test.vars());
    about.put("metadata", test.metadata());
    test.description().ifPresent(text -> about.put("description", text));
    Map<String, @Nullable Object> context = new LinkedHashMap<>();
    context.put("prompt", prompt);
    context.put("vars", test.vars());
    context.put("test", about);
    context.put("config", config == null ? Map.of() : config);
    return context;
  }
}
