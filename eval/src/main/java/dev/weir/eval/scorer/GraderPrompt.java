package dev.weir.eval.scorer;

import dev.weir.eval.component.Arguments;
import dev.weir.eval.sample.SampleState;
import dev.weir.model.Message;
import dev.weir.model.Spelling;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What graders are asked. A name in the template is replaced once: what stands in an answer is
 * never taken for a name.
 */
record GraderPrompt(String template, String instructions, boolean includeHistory) {

  static final String QUESTION =
      """
      You are grading an answer to a question.

      [Question]
      {{ question }}

      [What a correct answer says]
      {{ target }}

      [Answer]
      {{ answer }}

      Does the answer say what a correct answer says? Ignore differences in wording, and additional \
      detail that does not contradict it.

      {{ instructions }}
      """;

  static final String FACT =
      """
      You are comparing an answer to a question with the answer of an expert. Consider only the \
      facts; ignore differences in style, grammar and punctuation.

      [Question]
      {{ question }}

      [Expert's answer]
      {{ target }}

      [Answer]
      {{ answer }}

      Does the answer state the fact that the expert states, without contradicting it? Ignore \
      additional detail.

      {{ instructions }}
      """;

  private static final String USUAL_INSTRUCTIONS =
      "Explain your reasoning in a few sentences. Then give your grade on the last line, and"
          + " nothing else on that line: GRADE: C if it does, GRADE: I if it does not.";

  private static final String PARTIAL_INSTRUCTIONS =
      "Explain your reasoning in a few sentences. Then give your grade on the last line, and"
          + " nothing else on that line: GRADE: C if it does, GRADE: P if it does in part, GRADE: I"
          + " if it does not.";

  private static final List<String> NAMES =
      List.of("question", "answer", "target", "criterion", "instructions");

  private static final String METADATA = "metadata.";

  private static final Pattern PLACE = Pattern.compile("\\{\\{\\s*+([^{}]*?)\\s*+\\}\\}");

  static GraderPrompt of(Arguments arguments, String usualTemplate, boolean partialCredit) {
    String template = arguments.text("template").orElse(usualTemplate);
    Matcher places = PLACE.matcher(template);
    while (places.find()) {
      String name = String.valueOf(places.group(1));
      if (!NAMES.contains(name) && !name.startsWith(METADATA)) {
        throw arguments.wrong(
            "template",
            "has no value for '{{ %s }}'%s".formatted(name, Spelling.hint(name, NAMES)));
      }
    }
    return new GraderPrompt(
        template,
        arguments
            .text("instructions")
            .orElse(partialCredit ? PARTIAL_INSTRUCTIONS : USUAL_INSTRUCTIONS),
        arguments.flag("include_history").orElse(false));
  }

  String question(SampleState state) {
    return PLACE
        .matcher(template)
        .replaceAll(
            place -> Matcher.quoteReplacement(value(String.valueOf(place.group(1)), state)));
  }

  private String value(String name, SampleState state) {
    return switch (name) {
      case "question" -> includeHistory ? history(state) : state.sample().input();
      case "answer" -> Targets.output(state);
      case "target", "criterion" -> target(state);
      case "instructions" -> instructions;
      default -> metadata(name.substring(METADATA.length()), state);
    };
  }

  private static String target(SampleState state) {
    List<String> targets = Targets.of(state);
    return targets.size() == 1
        ? targets.getFirst()
        : "Any of these:\n- " + String.join("\n- ", targets);
  }

  private static String metadata(String key, SampleState state) {
    Object value = state.sample().metadata().get(key);
    if (value == null) {
      throw new NoScoreException(
          "the template of the grader wants '%s', which is not in the metadata of the sample"
              .formatted(key));
    }
    return value.toString();
  }

  /** All that was said before the last answer, which is judged. */
  private static String history(SampleState state) {
    List<Message> messages = state.messages();
    int end = messages.size();
    if (end > 0 && messages.get(end - 1) instanceof Message.Assistant) {
      end--;
    }
    var history = new StringBuilder();
    for (Message message : messages.subList(0, end)) {
      if (!message.text().isBlank()) {
        history.append(history.isEmpty() ? "" : "\n\n");
        history.append(speaker(message)).append(": ").append(message.text());
      }
    }
    return history.isEmpty() ? state.sample().input() : history.toString();
  }

  private static String speaker(Message message) {
    return switch (message) {
      case Message.Instructions _ -> "System";
      case Message.User _ -> "User";
      case Message.Assistant _ -> "Assistant";
      case Message.ToolResult result -> "Tool " + result.tool();
    };
  }
}
