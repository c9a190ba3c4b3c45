package dev.weir.eval.solver;

import dev.weir.eval.sample.EvalTool;
import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sample.SampleState;
import dev.weir.eval.sandbox.ExecRequest;
import dev.weir.model.Message;
import dev.weir.model.Printable;
import dev.weir.model.Spelling;
import dev.weir.model.ToolCall;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Runs the tools that a model asked for, one after the other, and takes what they give back into
 * the conversation. The model is told of tools that do not exist, of arguments that are no JSON and
 * of tools that fail; limits and exceptions of tools pass through. Thread-safe.
 *
 * @param maxToolOutput how many bytes of UTF-8 a tool may give back; the middle of what is longer
 *     is cut out, if that saves more than a few lines. 0 if it is never cut.
 */
public record ToolLoop(int maxToolOutput) {

  /** As the model sees at most of what a tool gave back. */
  public static final ToolLoop DEFAULT = new ToolLoop(16 * 1024);

  /** A loop that nobody limits ends, too. */
  static final int MOST_TURNS = 1_000;

  /** A cut that saves less is not worth what it says of itself. */
  private static final int LEAST_CUT = 256;

  /** How long a tool takes in a rehearsal, in which none is run. */
  private static final Duration REHEARSED = Duration.ofSeconds(1);

  /** Enough of a mistake to recognize it. */
  private static final int SHOWN = 100;

  private static final JsonMapper JSON = new JsonMapper();

  public ToolLoop {
    if (maxToolOutput < 0) {
      throw new IllegalArgumentException("`maxToolOutput` must be >= 0, was " + maxToolOutput);
    }
  }

  /**
   * Runs what the last message asks for with the tools of the state.
   *
   * @return whether it asked for anything
   */
  public boolean run(SampleState state, SampleContext context) throws InterruptedException {
    if (state.messages().isEmpty()
        || !(state.messages().getLast() instanceof Message.Assistant asking)
        || asking.toolCalls().isEmpty()) {
      return false;
    }
    for (ToolCall call : asking.toolCalls()) {
      long began = context.time().nanos();
      EvalTool.Result result = run(call, state, context);
      var told =
          new Message.ToolResult(
              call.id(), call.name(), cut(result.text()), result.failed(), result.timedOut());
      context.toolRan(call, told, began);
      state.add(told);
    }
    return true;
  }

  private static EvalTool.Result run(ToolCall call, SampleState state, SampleContext context)
      throws InterruptedException {
    List<EvalTool> tools = state.tools();
    Optional<EvalTool> tool =
        tools.stream().filter(offered -> offered.definition().name().equals(call.name())).findAny();
    if (tool.isEmpty()) {
      List<String> names = tools.stream().map(offered -> offered.definition().name()).toList();
      return EvalTool.Result.failure(
          "There is no tool '%s'%s"
              .formatted(shown(call.name()), Spelling.hint(shown(call.name()), names)));
    }
    // Models write nothing if a tool takes nothing.
    ToolCall asked = call.arguments().isBlank() ? new ToolCall(call.id(), call.name(), "{}") : call;
    Optional<String> wrong = wrongArguments(asked.arguments());
    if (wrong.isPresent()) {
      return EvalTool.Result.failure(wrong.get());
    }
    if (context.isRehearsal() && !(tool.get() instanceof SubmitTool)) {
      rehearse(context);
      return EvalTool.Result.of("This is a rehearsal: the tool was not run.");
    }
    return tool.get().run(asked, state, context);
  }

  private static void rehearse(SampleContext context) throws InterruptedException {
    if (context.hasSandbox()) {
      // A rehearsed one, which runs nothing: but a command takes its place among others.
      context.sandbox().exec(ExecRequest.of("true"));
    } else {
      context.time().sleep(REHEARSED);
    }
  }

  private static Optional<String> wrongArguments(String arguments) {
    try {
      return JSON.readTree(arguments).isObject()
          ? Optional.empty()
          : Optional.of(
              "The arguments of the call must be a JSON object, but were: " + shown(arguments));
    } catch (JacksonException malformed) {
      return Optional.of(
          "The arguments of the call are not JSON: %s. The tool was not run; call it again with a JSON object."
              .formatted(shown(String.valueOf(malformed.getOriginalMessage()))));
    }
  }

  private static String shown(String text) {
    String line = Printable.line(text);
    return line.length() <= SHOWN ? line : line.substring(0, SHOWN) + "…";
  }

  /** Beginning and end tell the most: what was done, and how it ended. */
  private String cut(String text) {
    // No character takes more than three bytes per UTF-16 unit: most texts need no counting.
    if (maxToolOutput == 0 || text.length() <= maxToolOutput / 3) {
      return text;
    }
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (bytes.length - maxToolOutput < LEAST_CUT) {
      return text;
    }
    int head = begins(bytes, maxToolOutput - maxToolOutput / 2);
    int tail = begins(bytes, bytes.length - maxToolOutput / 2);
    String mark =
        String.format(
            Locale.ROOT,
            "\n[%,d bytes are cut out here: a tool may give back %,d]\n",
            tail - head,
            maxToolOutput);
    return new String(bytes, 0, head, StandardCharsets.UTF_8)
        + mark
        + new String(bytes, tail, bytes.length - tail, StandardCharsets.UTF_8);
  }

  /** Where the character begins that this byte is of. */
  private static int begins(byte[] bytes, int at) {
    int start = at;
    while (start > 0 && start < bytes.length && (bytes[start] & 0xC0) == 0x80) {
      start--;
    }
    return start;
  }
}
