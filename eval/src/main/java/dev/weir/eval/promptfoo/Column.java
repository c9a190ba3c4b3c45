package dev.weir.eval.promptfoo;

import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.scorer.Score;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One provider with one prompt: a column of promptfoo's table. */
record Column(Target target, Prompt prompt, Templates templates) {

  /** For people; distinct, because labels are. */
  String name(boolean promptsDiffer) {
    return promptsDiffer ? "%s · %s".formatted(target.label(), prompt.label()) : target.label();
  }

  /** Judges an answer by the assertions of its test, and what was said of it before. */
  Graded.Sum judge(
      TestCase test, String prompt, ModelOutput output, List<Graded> said, SampleContext context)
      throws Exception {
    var answer = new Answer(output.output(), prompt, test, output.used(), target, templates);
    List<Graded> parts = new ArrayList<>();
    for (Assertion assertion : test.assertions()) {
      parts.add(assertion.grade(answer, context));
    }
    parts.addAll(said);
    return new Graded.Sum(Graded.together(parts, test.threshold()), parts);
  }

  /** For the log. */
  static Score score(double value, Graded.Sum sum) {
    Map<String, Object> metadata = new LinkedHashMap<>();
    metadata.put("pass", sum.verdict().pass());
    metadata.put("score", sum.verdict().score());
    Map<String, Double> named = Graded.namedScores(sum.parts());
    if (!named.isEmpty()) {
      metadata.put("named_scores", named);
    }
    metadata.put("assertions", sum.parts().stream().map(Graded::record).toList());
    return Score.of(value).withExplanation(sum.verdict().reason()).withMetadata(metadata);
  }
}
