package dev.weir.eval.promptfoo;

import dev.weir.eval.sample.Generator;
import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sample.SampleLimits;
import dev.weir.eval.sample.Used;
import dev.weir.eval.sandbox.Sandbox;
import dev.weir.eval.sandbox.SandboxCaps;
import dev.weir.eval.sandbox.SandboxSetup;
import dev.weir.eval.sandbox.SandboxSpec;
import dev.weir.eval.sandbox.Sandboxes;
import dev.weir.eval.sandbox.Waits;
import dev.weir.model.Message;
import dev.weir.model.ModelName;
import dev.weir.model.Origin;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.StopReason;
import dev.weir.model.Usage;
import dev.weir.time.Time;
import dev.weir.time.Work;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Reads assertions from YAML and lets them judge; graders say what they are told to. */
final class Bench implements AutoCloseable {

  final Problems problems = new Problems();
  final List<Request> asked = new ArrayList<>();
  final List<String> roles = new ArrayList<>();
  private final ConfigFiles files;
  private final AssertionReader assertions;
  private final TargetReader targets;
  private final Sandboxes sandboxes =
      new Sandboxes(Time.system(), SandboxCaps.defaults(), System.getenv());
  private String graderSays = "";
  private OfferedTools tools = OfferedTools.NONE;
  private Optional<Used> used = Optional.empty();

  Bench(Path directory) {
    files = new ConfigFiles(directory, Map.of(), problems);
    var scripts = new Scripts(files, problems, Optional.empty());
    targets = new TargetReader(files, scripts, problems, Map.of());
    assertions = new AssertionReader(files, scripts, new Graders(targets, problems), problems);
  }

  Bench grader(String says) {
    graderSays = says;
    return this;
  }

  Bench used(Used spent) {
    used = Optional.of(spent);
    return this;
  }

  Bench tools(String yaml) {
    tools = OfferedTools.read(new Section(yaml(yaml), "tools", problems), files, problems);
    return this;
  }

  Verdict check(String assertion, @Nullable Object output) throws Exception {
    return check(assertion, output, Map.of());
  }

  Verdict check(String assertion, @Nullable Object output, Map<String, @Nullable Object> vars)
      throws Exception {
    return grade(assertion, output, vars).getFirst().verdict();
  }

  List<Graded> grade(String assertion, @Nullable Object output, Map<String, @Nullable Object> vars)
      throws Exception {
    AssertionReader.Read read = assertions.read(yaml(assertion));
    problems.throwIfAny();
    Place place = Place.of(Path.of("test.yaml"));
    var test =
        new TestCase(
            1,
            Optional.empty(),
            vars,
            read.assertions(),
            read.comparisons(),
            OptionalDouble.empty(),
            Optional.empty(),
            List.of(),
            List.of(),
            Map.of(),
            new TestOptions(
                Optional.empty(),
                Optional.empty(),
                "",
                "",
                Optional.empty(),
                Optional.empty(),
                Map.of()),
            "",
            place);
    var target =
        new Target(
            "echo",
            "echo",
            "mock/echo",
            Map.of(),
            Optional.empty(),
            Map.of(),
            OptionalLong.empty(),
            tools,
            false,
            List.of(),
            Optional.empty(),
            place);
    var answer =
        new Answer(output, "What is it?", test, used, target, Templates.WITHOUT_ENVIRONMENT);
    List<Graded> graded = new ArrayList<>();
    try (var context = new Context()) {
      for (Assertion one : read.assertions()) {
        graded.add(one.grade(answer, context));
      }
    }
    return graded;
  }

  /** What reading it tells. */
  String problem(String assertion) {
    assertions.read(yaml(assertion));
    try {
      problems.throwIfAny();
      return "";
    } catch (dev.weir.model.ConfigurationException found) {
      return String.valueOf(found.getMessage());
    }
  }

  static Value yaml(String text) {
    return YamlReader.parse(Path.of("test.yaml"), text);
  }

  @Override
  public void close() {
    sandboxes.close();
  }

  private final class Context implements SampleContext, AutoCloseable {

    private @Nullable Sandbox sandbox;

    @Override
    public Generator model() {
      return role("model");
    }

    @Override
    public Generator role(String role) {
      return request -> {
        roles.add(role);
        asked.add(request);
        return new Response.Reply(
            Message.assistant(graderSays),
            StopReason.STOP,
            Usage.NONE,
            Origin.of(ModelName.parse("mock/grader")));
      };
    }

    @Override
    public Sandbox sandbox() throws InterruptedException {
      Sandbox opened = sandbox;
      if (opened == null) {
        opened =
            sandboxes.open(
                SandboxSpec.local(),
                new SandboxSetup(Map.of(), Optional.empty(), SandboxSetup.DEFAULT_TIMEOUT),
                Waits.IGNORED);
        sandbox = opened;
      }
      return opened;
    }

    @Override
    public Time time() {
      return Time.system();
    }

    @Override
    public RandomGenerator random() {
      return new SplittableRandom(1);
    }

    @Override
    public <T> T within(SampleLimits limits, Work<T> part) throws Exception {
      return part.run();
    }

    @Override
    public void note(String source, Object data) {}

    @Override
    public void close() {
      Sandbox opened = sandbox;
      if (opened != null) {
        opened.close();
      }
    }
  }
}
