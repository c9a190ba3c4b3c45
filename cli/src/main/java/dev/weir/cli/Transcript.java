package dev.weir.cli;

import dev.weir.log.SampleFailure;
import dev.weir.log.SampleResult;
import dev.weir.log.SampleResult.LogMessage;
import dev.weir.log.SampleResult.LogToolCall;
import dev.weir.log.SampleResult.ScoreResult;
import dev.weir.log.SampleVerdict;
import dev.weir.model.Printable;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Help.Ansi;

/** What happened in a sample, for people who read it on a terminal. */
final class Transcript {

  /** Lines of a tool's result that are shown unless all are wanted. */
  private static final int FOLDED_LINES = 4;

  /** Characters of a tool call's arguments that are shown unless all are wanted. */
  private static final int FOLDED_ARGUMENTS = 200;

  /** Longer lines are hard to read, however wide the terminal is. */
  private static final int WIDEST = 100;

  private static final int NARROWEST = 20;
  private static final String INDENT = "  ";

  private final PrintWriter out;
  private final int columns;
  private final Ansi ansi;
  private final boolean full;
  private final Map<String, String> graders;

  /**
   * @param columns how wide lines may be
   * @param graders by scorer, the models that grade, as far as they are known
   * @param full whether long results and arguments of tools are shown as a whole
   */
  Transcript(
      PrintWriter out, int columns, boolean colours, Map<String, String> graders, boolean full) {
    this.out = out;
    this.columns = Math.clamp(columns, NARROWEST, WIDEST);
    this.ansi = colours ? Ansi.ON : Ansi.OFF;
    this.graders = graders;
    this.full = full;
  }

  /**
   * Prints a sample.
   *
   * @param place such as {@code 3 of 50}
   */
  void print(SampleResult sample, String place, boolean hasEpochs) {
    SampleVerdict verdict = SampleVerdict.of(sample);
    heading(sample, verdict, place, hasEpochs);
    if (sample.messages().isEmpty()) {
      part("user", "bold", sample.input());
      // What was scored, where another program kept no conversation.
      sample.output().ifPresent(output -> part("assistant", "bold,cyan", output));
    }
    sample.messages().forEach(this::message);
    if (!sample.targets().isEmpty()) {
      part("target", "bold", String.join(" | ", sample.targets()));
    }
    sample.scores().forEach(this::score);
    int attempt = 1;
    for (SampleFailure error : sample.errorRetries()) {
      part("error in attempt " + attempt++ + ", retried", "yellow", error.message());
    }
    sample.error().ifPresent(error -> part("error", "bold,red", error));
    sample.limit().ifPresent(limit -> part("limit: " + limit.type(), "yellow", limit.message()));
    styled("faint", usage(sample));
    out.println();
  }

  private void heading(
      SampleResult sample, SampleVerdict verdict, String place, boolean hasEpochs) {
    String epoch = hasEpochs ? " (epoch " + sample.epoch() + ")" : "";
    String end = " " + verdict.word() + " ──";
    String name = "── %s · %s%s ".formatted(place, Printable.line(sample.id()), epoch);
    String begin = Cells.cut(name, Math.max(1, columns - Cells.width(end)));
    int line = Math.max(0, columns - Cells.width(begin) - Cells.width(end));
    out.println(
        style("bold", begin + "─".repeat(line))
            + style(verdict.isFailure() ? "bold,red" : "bold", end));
    out.println();
  }

  private void message(LogMessage message) {
    switch (message.role()) {
      case "tool" -> {
        String tool = message.tool().map(name -> " " + name).orElse("");
        String label = "tool" + tool + (message.failed() ? ", failed" : "");
        folded(label, message.failed() ? "red" : "magenta", message.content());
      }
      case "assistant" -> {
        label("assistant", "bold,cyan");
        text(message.content());
        message.toolCalls().forEach(this::toolCall);
        out.println();
      }
      default -> part(message.role(), "bold", message.content());
    }
  }

  private void toolCall(LogToolCall call) {
    String arguments = Printable.line(call.arguments());
    String shown = full ? arguments : Cells.cut(arguments, FOLDED_ARGUMENTS);
    wrapped("→ " + Printable.line(call.name()) + " " + shown)
        .forEach(line -> styled("magenta", INDENT + line));
  }

  private void score(String scorer, ScoreResult score) {
    boolean isWrong = score.value() < 1;
    out.println(
        style(
            isWrong ? "bold,red" : "bold,green",
            "score %s: %s".formatted(Printable.line(scorer), Numbers.score(score.value()))));
    if (full && graders.containsKey(scorer)) {
      text("graded by " + graders.get(scorer));
    }
    score.answer().filter(answer -> !answer.isBlank()).ifPresent(it -> text("answer: " + it));
    score.explanation().filter(why -> !why.isBlank()).ifPresent(this::text);
    out.println();
  }

  private static String usage(SampleResult sample) {
    List<String> parts = new ArrayList<>();
    parts.add(Numbers.span(sample.times().total()));
    parts.add(
        "%s %s in, %s out"
            .formatted(
                Numbers.brief((double) sample.tokens().input()),
                sample.tokens().input() == 1 ? "token" : "tokens",
                Numbers.brief((double) sample.tokens().output())));
    String cost =
        Numbers.cost(
            sample.cost().knownUsd(), sample.cost().pricedCalls(), sample.cost().unknownCalls());
    parts.add(cost.equals("unknown") ? "cost unknown" : cost);
    if (sample.retries() > 0) {
      parts.add(Numbers.retries(sample.retries()));
    }
    sample.stopReason().filter(why -> !why.equals("stop")).ifPresent(why -> parts.add(why));
    return String.join(" · ", parts.stream().map(Printable::line).toList());
  }

  private void part(String label, String style, String text) {
    label(label, style);
    text(text);
    out.println();
  }

  private void label(String label, String style) {
    styled(style, Printable.line(label));
  }

  private void text(String text) {
    lines(text).forEach(line -> out.println((INDENT + line).stripTrailing()));
  }

  private void folded(String label, String style, String text) {
    label(label, style);
    List<String> lines = lines(text);
    int shown = full || lines.size() <= FOLDED_LINES + 1 ? lines.size() : FOLDED_LINES;
    lines.subList(0, shown).forEach(line -> out.println((INDENT + line).stripTrailing()));
    if (shown < lines.size()) {
      styled(
          "faint", INDENT + "… %s more lines; --full shows them".formatted(lines.size() - shown));
    }
    out.println();
  }

  /** The lines of a text, each made to fit and harmless for a terminal. */
  private List<String> lines(String text) {
    return text.strip()
        .replace("\t", "    ")
        .lines()
        .flatMap(line -> wrapped(line).stream())
        .toList();
  }

  /** Broken between words where there are any. */
  private List<String> wrapped(String line) {
    List<String> lines = new ArrayList<>();
    String rest = Printable.line(line).stripTrailing();
    int width = columns - INDENT.length();
    while (Cells.width(rest) > width) {
      int end = Cells.fitting(rest, width);
      int space = rest.lastIndexOf(' ', end);
      boolean breaksWord = rest.substring(0, Math.max(space, 0)).isBlank();
      lines.add(rest.substring(0, breaksWord ? end : space));
      rest = rest.substring(breaksWord ? end : space + 1);
    }
    lines.add(rest);
    return lines;
  }

  private void styled(String style, String text) {
    out.println(style(style, text));
  }

  /** Not through picocli's markup: texts of models may look like it. */
  private String style(String style, String text) {
    if (!ansi.enabled()) {
      return text;
    }
    var styles = Ansi.Style.parse(style);
    return Ansi.Style.on(styles) + text + Ansi.Style.off(styles);
  }
}
