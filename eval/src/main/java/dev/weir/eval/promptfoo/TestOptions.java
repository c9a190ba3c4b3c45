package dev.weir.eval.promptfoo;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How a test is run and judged.
 *
 * @param transform changes answers before they are judged
 * @param grader who judges, where an assertion does not say
 * @param rubricPrompt how a judge is asked, where an assertion does not say
 * @param factuality what each kind of agreement counts
 */
record TestOptions(
    Optional<Transform> transform,
    Optional<Transform> transformVars,
    String prefix,
    String suffix,
    Optional<Grader> grader,
    Optional<Value> rubricPrompt,
    Map<String, Double> factuality) {

  static TestOptions read(
      Section section, Scripts scripts, Graders graders, ConfigFiles files, boolean isDefault) {
    return new TestOptions(
        section
            .value("transform", "postprocess")
            .flatMap(value -> scripts.transform(value, "output")),
        section.value("transformVars").flatMap(value -> scripts.transform(value, "vars")),
        section.template("prefix").orElse(""),
        section.template("suffix").orElse(""),
        section
            .value("provider")
            .flatMap(value -> isDefault ? graders.readDefault(value) : graders.read(value)),
        section.value("rubricPrompt").flatMap(value -> files.template(value, "rubricPrompt")),
        factuality(section));
  }

  private static Map<String, Double> factuality(Section section) {
    Map<String, Double> weights = new java.util.LinkedHashMap<>();
    section
        .section("factuality", "`factuality`")
        .ifPresent(
            given -> {
              for (String kind :
                  List.of("subset", "superset", "agree", "disagree", "differButFactual")) {
                given.number(kind).ifPresent(weight -> weights.put(kind, weight));
              }
              given.finish();
            });
    return weights;
  }
}
