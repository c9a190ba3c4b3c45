package dev.weir.eval.promptfoo;

import dev.weir.eval.promptfoo.ScriptEngine.Script;
import dev.weir.eval.scorer.Embedder;
import dev.weir.model.Spelling;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the assertions of tests. Not thread-safe. */
final class AssertionReader {

  static final String NOT = "not-";

  static final List<String> TYPES =
      List.of(
          "assert-set",
          "bleu",
          "contains",
          "contains-all",
          "contains-any",
          "contains-json",
          "cost",
          "equals",
          "factuality",
          "g-eval",
          "icontains",
          "icontains-all",
          "icontains-any",
          "is-json",
          "is-valid-function-call",
          "is-valid-openai-function-call",
          "is-valid-openai-tools-call",
          "is-xml",
          "javascript",
          "latency",
          "levenshtein",
          "llm-rubric",
          "model-graded-closedqa",
          "model-graded-factuality",
          "python",
          "regex",
          "rouge-n",
          "select-best",
          "similar",
          "similar:cosine",
          "starts-with",
          "word-count");

  /** Those that promptfoo has beyond. */
  private static final Pattern ELSEWHERE =
      Pattern.compile(
          "agent-rubric|answer-relevance|classifier|contains-html|contains-sql|contains-xml"
              + "|context-faithfulness|context-recall|context-relevance|conversation-relevance"
              + "|finish-reason|gleu|guardrails|human|is-html|is-refusal|is-sql|max-score|meteor"
              + "|moderation|perplexity|perplexity-score|pi|ruby|search-rubric|similar:dot"
              + "|similar:euclidean|skill-used|tool-call-f1|trace-.*|trajectory:.*|webhook");

  private static final Pattern PYTHON = Pattern.compile("(file://.*\\.py)(?::(\\w+))?");

  private final ConfigFiles files;
  private final Scripts scripts;
  private final Graders graders;
  private final Problems problems;
  private final List<ScriptTemplate> templates = new ArrayList<>();
  private boolean usesPython;
  private boolean hasRubricPrompt;

  AssertionReader(ConfigFiles files, Scripts scripts, Graders graders, Problems problems) {
    this.files = files;
    this.scripts = scripts;
    this.graders = graders;
    this.problems = problems;
  }

  /** What a test asserts. */
  record Read(List<Assertion> assertions, List<Comparison> comparisons) {

    static final Read NONE = new Read(List.of(), List.of());
  }

  /** Tells that all tests have a prompt for judges, which says all that a rubric would. */
  void setRubricPrompt() {
    hasRubricPrompt = true;
  }

  /** Whether any assertion needs a sandbox to run in. */
  boolean usesPython() {
    return usesPython;
  }

  /** The scripts of what was read since the last time that are templates. */
  List<ScriptTemplate> takeTemplates() {
    List<ScriptTemplate> taken = List.copyOf(templates);
    templates.clear();
    return taken;
  }

  Read read(Value assertions) {
    List<Assertion> read = new ArrayList<>();
    List<Comparison> comparisons = new ArrayList<>();
    for (Value given : assertions.oneOrMore()) {
      files.dataOf(given).ifPresent(one -> one.oneOrMore().forEach(a -> add(a, read, comparisons)));
    }
    return new Read(read, comparisons);
  }

  private void add(Value given, List<Assertion> read, List<Comparison> comparisons) {
    var section = new Section(given, "an assertion", problems);
    if (!given.isMapping()) {
      return;
    }
    Optional<String> type = section.text("type");
    if (type.isEmpty()) {
      problems.add(given.place(), "an assertion must have a `type`, for example contains");
      return;
    }
    if (type.get().equals("select-best")) {
      comparison(section).ifPresent(comparisons::add);
      return;
    }
    assertion(type.get(), section).ifPresent(read::add);
  }

  private Optional<Assertion> assertion(String type, Section section) {
    boolean negated = type.startsWith(NOT);
    String base = negated ? type.substring(NOT.length()) : type;
    double weight = weight(section);
    Optional<String> metric = section.template("metric");
    Optional<Transform> transform =
        section.value("transform").flatMap(value -> scripts.transform(value, "output"));
    section.unsupported("contextTransform", "it is for context assertions");
    // For people, and for scripts alone.
    section.ignore("reason", "config");
    var wanted = new Wanted(base, section, files, graders, problems);
    Optional<Check> check = check(base, wanted);
    if (check.isEmpty()) {
      return Optional.empty();
    }
    section.finish();
    return Optional.of(
        new Assertion(
            type,
            negated,
            check.get(),
            weight,
            metric,
            negated ? Optional.empty() : wanted.expected(),
            transform,
            section.place()));
  }

  private double weight(Section section) {
    double weight = section.number("weight").orElse(1);
    if (weight < 0) {
      problems.add(section.placeOf("weight"), "`weight` must be >= 0");
    }
    return Math.max(0, weight);
  }

  private Optional<Comparison> comparison(Section section) {
    Optional<String> criteria = section.template("value");
    if (criteria.isEmpty()) {
      problems.add(section.place(), "select-best needs a `value`: what makes the best output");
      return Optional.empty();
    }
    Optional<Grader> grader = section.value("provider").flatMap(graders::read);
    Optional<Value> rubric =
        section.value("rubricPrompt").flatMap(value -> files.template(value, "rubricPrompt"));
    var comparison =
        new Comparison(
            criteria.get(),
            grader,
            rubric,
            weight(section),
            section.text("metric"),
            section.place());
    section.finish();
    return Optional.of(comparison);
  }

  private Optional<Check> check(String type, Wanted wanted) {
    return switch (type) {
      case "equals" -> wanted.value().map(TextChecks::equalTo);
      case "contains" -> wanted.sought().map(value -> TextChecks.contains(value, false));
      case "icontains" -> wanted.sought().map(value -> TextChecks.contains(value, true));
      case "contains-any" -> wanted.allSought().map(value -> TextChecks.containsAny(value, false));
      case "icontains-any" -> wanted.allSought().map(value -> TextChecks.containsAny(value, true));
      case "contains-all" -> wanted.allSought().map(value -> TextChecks.containsAll(value, false));
      case "icontains-all" -> wanted.allSought().map(value -> TextChecks.containsAll(value, true));
      case "starts-with" -> wanted.sought().map(TextChecks::startsWith);
      case "regex" -> wanted.pattern().map(TextChecks::regex);
      case "word-count" -> wanted.value().map(value -> WordCount.read(value, problems));
      case "levenshtein" ->
          wanted.measured(5, TextDistance::levenshtein, (edits, most) -> edits <= most);
      case "rouge-n" ->
          wanted.measured(0.75, TextDistance::rouge1, (score, least) -> score >= least);
      case "bleu" -> wanted.measured(0.5, TextDistance::bleu, (score, least) -> score >= least);
      case "is-json" -> Optional.of(DataChecks.isJson(wanted.schema()));
      case "contains-json" -> Optional.of(DataChecks.containsJson(wanted.schema()));
      case "is-xml" -> Optional.of(XmlCheck.isXml(wanted.elements()));
      case "is-valid-openai-function-call" -> Optional.of(DataChecks.functionCall());
      case "is-valid-openai-tools-call" -> Optional.of(DataChecks.toolCalls());
      case "is-valid-function-call" -> Optional.of(DataChecks.anyCall());
      case "javascript" -> javascript(wanted);
      case "python" -> python(wanted);
      case "llm-rubric" ->
          wanted
              .rubric(hasRubricPrompt)
              .map(value -> wanted.graded().rubric(value, wanted.threshold()));
      case "factuality", "model-graded-factuality" ->
          wanted.text().map(text -> wanted.graded().factuality(text));
      case "model-graded-closedqa" -> wanted.text().map(text -> wanted.graded().closedQa(text));
      case "g-eval" ->
          wanted
              .texts()
              .map(
                  value ->
                      wanted.graded().gEval(value.oneOrMore(), wanted.threshold().orElse(0.7)));
      case "similar", "similar:cosine" -> similar(wanted);
      case "cost" -> wanted.needed().map(ResourceChecks::cost);
      case "latency" -> wanted.needed().map(ResourceChecks::latency);
      case "assert-set" -> set(wanted);
      default -> unknown(type, wanted);
    };
  }

  private Optional<Check> unknown(String type, Wanted wanted) {
    Place place = wanted.section().value("type").map(Value::place).orElse(wanted.section().place());
    if (ELSEWHERE.matcher(type).matches() || type.equals("select-best")) {
      problems.unsupported(
          place,
          "the assertion type '%s'".formatted(wanted.section().text("type").orElse(type)),
          "supported are: " + String.join(", ", new TreeSet<>(TYPES)));
    } else {
      problems.add(
          place, "there is no assertion type '%s'%s".formatted(type, Spelling.hint(type, TYPES)));
    }
    return Optional.empty();
  }

  private Optional<Check> javascript(Wanted wanted) {
    OptionalDouble threshold = wanted.threshold();
    Object config = wanted.config();
    return wanted
        .code()
        .flatMap(
            value ->
                script(value)
                    .map(
                        found -> ScriptChecks.javascript(found, threshold, config, value.place())));
  }

  private Optional<Function<Answer, Script>> script(Value value) {
    List<String> parameters = List.of("output", "context");
    int before = problems.size();
    Optional<ScriptTemplate> template = scripts.template(value, parameters);
    // What is no template would only be told twice.
    template.filter(_ -> problems.size() == before).ifPresent(templates::add);
    return template.isPresent()
        ? template.map(found -> answer -> found.filled(answer.templates(), answer.test().vars()))
        : scripts
            .script(value.text().orElse(""), value.place(), parameters)
            .map(script -> _ -> script);
  }

  private Optional<Check> python(Wanted wanted) {
    usesPython = true;
    OptionalDouble threshold = wanted.threshold();
    Object config = wanted.config();
    Optional<Value> value = wanted.code();
    if (value.isEmpty()) {
      return Optional.empty();
    }
    Place place = value.get().place();
    Matcher file = PYTHON.matcher(value.get().text().orElse(""));
    if (!file.matches()) {
      Templates.check(value.get(), "value", problems);
      return Optional.of(
          new PythonCheck(
              value.get().text().orElse(""), Optional.empty(), "", threshold, config, place));
    }
    List<Path> found = files.find(String.valueOf(file.group(1)), place);
    String function = file.group(2) == null ? PythonCheck.FUNCTION : file.group(2);
    return found.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new PythonCheck(
                "",
                Optional.of(found.getFirst()),
                String.valueOf(function),
                threshold,
                config,
                place));
  }

  private Optional<Check> similar(Wanted wanted) {
    double threshold = wanted.threshold().orElse(0.75);
    wanted
        .section()
        .unsupported("provider", "similarity is computed here, by the module weir-embeddings");
    Optional<Embedder> embedder = Embedder.find();
    if (embedder.isEmpty()) {
      problems.add(
          wanted.section().place(),
          "similar needs the module weir-embeddings on the class path; add it, for ./weir with the"
              + " variable WEIR_CLASSPATH");
    }
    return wanted
        .texts()
        .flatMap(value -> embedder.map(found -> new SimilarCheck(value, threshold, found)));
  }

  private Optional<Check> set(Wanted wanted) {
    OptionalDouble threshold = wanted.threshold();
    wanted.section().ignore("config");
    Read inner =
        read(wanted.section().value("assert").orElse(Value.of(null, wanted.section().place())));
    if (inner.assertions().isEmpty() || !inner.comparisons().isEmpty()) {
      problems.add(
          wanted.section().place(),
          "assert-set needs assertions in `assert`; select-best cannot be among them");
      return Optional.empty();
    }
    return Optional.of(
        (answer, context) -> {
          List<Graded> parts = new ArrayList<>();
          for (Assertion assertion : inner.assertions()) {
            parts.add(assertion.grade(answer, context));
          }
          return Graded.together(parts, threshold);
        });
  }
}
