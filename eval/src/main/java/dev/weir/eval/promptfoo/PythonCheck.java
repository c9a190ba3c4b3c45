package dev.weir.eval.promptfoo;

import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sandbox.ExecRequest;
import dev.weir.eval.sandbox.ExecResult;
import dev.weir.eval.scorer.NoScoreException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * The assertion {@code python}: a program of its own, in the sandbox of the sample, whose
 * environment holds no credentials.
 *
 * @param code a template of an expression, or of statements that return or end with one; empty if
 *     there is a file
 * @param file a file with a function
 * @param function of the file
 */
record PythonCheck(
    String code,
    Optional<Path> file,
    String function,
    OptionalDouble threshold,
    @Nullable Object config,
    Place place)
    implements Check {

  static final String FUNCTION = "get_assert";

  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final int LONGEST_COMPLAINT = 500;

  /** What the user's code prints must not be taken for its result. */
  private static final String DRIVER =
      """
      import ast, importlib.util, json, os, sys, textwrap, traceback
      given = json.load(sys.stdin)
      out = sys.stdout
      sys.stdout = sys.stderr
      output, context = given["output"], given["context"]
      def ends(node):
          if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
              return False
          return isinstance(node, (ast.Return, ast.Raise)) or any(map(ends, ast.iter_child_nodes(node)))
      def words(failure):
          return "".join(traceback.format_exception_only(type(failure), failure)).strip()
      try:
          if given["file"]:
              sys.path.insert(0, os.path.dirname(given["file"]))
              spec = importlib.util.spec_from_file_location("assertion", given["file"])
              module = importlib.util.module_from_spec(spec)
              spec.loader.exec_module(module)
              judge = getattr(module, given["function"])
          else:
              names = {"output": output, "context": context, "json": json}
              try:
                  code = compile(given["code"].strip(), "assertion", "eval")
                  judge = lambda output, context: eval(code, names)
              except SyntaxError:
                  body = ast.parse(textwrap.dedent(given["code"]), "assertion").body
                  if not any(ends(statement) for statement in body):
                      if not body or not isinstance(body[-1], ast.Expr):
                          raise ValueError("it returns nothing; end it with an expression, or with return")
                      body[-1] = ast.copy_location(ast.Return(body[-1].value), body[-1])
                  whole = ast.parse("def judge(output, context): pass", "assertion")
                  whole.body[0].body = body
                  exec(compile(whole, "assertion", "exec"), names)
                  judge = names["judge"]
      except Exception as failure:
          answer = {"unusable": words(failure)}
      else:
          try:
              result = judge(output, context)
              if hasattr(result, "__dict__") and not isinstance(result, dict):
                  result = vars(result)
              answer = {"result": result}
          except Exception as failure:
              answer = {"error": words(failure)}
      out.write(json.dumps(answer, default=str))
      """;

  @Override
  public Verdict check(Answer answer, SampleContext context) throws InterruptedException {
    Map<String, @Nullable Object> given = new LinkedHashMap<>();
    given.put("code", file.isPresent() ? "" : answer.fill(code));
    given.put("file", file.map(path -> path.toAbsolutePath().toString()).orElse(""));
    given.put("function", function);
    given.put("output", answer.output());
    given.put("context", answer.scriptContext(config));
    ExecResult ended =
        context
            .sandbox()
            .exec(
                ExecRequest.of("python3", "-c", DRIVER)
                    .withStdin(Json.write(given))
                    // Nothing is left beside the user's files.
                    .withEnvironment(Map.of("PYTHONDONTWRITEBYTECODE", "1"))
                    .withTimeout(TIMEOUT));
    if (ended.timedOut()) {
      throw new NoScoreException(
          "%s: the Python code took longer than %d s".formatted(place, TIMEOUT.toSeconds()));
    }
    Object said = Json.parse(ended.stdout()).map(Json.Parsed::data).orElse(null);
    if (!ended.success() || !(said instanceof Map<?, ?> result)) {
      String complaint = ended.stderr().strip();
      throw new NoScoreException(
          "%s: Python ended with code %d: %s"
              .formatted(
                  place,
                  ended.exitCode(),
                  complaint.substring(Math.max(0, complaint.length() - LONGEST_COMPLAINT))));
    }
    if (result.containsKey("unusable")) {
      throw new NoScoreException(
          "%s: the Python code cannot be used: %s".formatted(place, result.get("unusable")));
    }
    if (result.containsKey("error")) {
      return Verdict.failed("the Python code failed: " + result.get("error"));
    }
    Object value = result.get("result");
    // A text may hold the result as JSON.
    return ScriptChecks.verdict(
        Optional.of(value instanceof String text ? text : Json.write(value)), threshold, place);
  }
}
