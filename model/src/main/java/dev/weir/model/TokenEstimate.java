package dev.weir.model;

import dev.weir.limits.pace.Cost;
import dev.weir.model.tokens.Calibration;
import dev.weir.model.tokens.TokenCounter;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * What a request will probably cost, before it is made: its texts counted, and corrected by how far
 * earlier counts were off; and as much output as earlier answers had, or what the provider is known
 * to reserve for it.
 *
 * <p>Thread-safe.
 */
final class TokenEstimate {

  /** What providers put around a message, about. */
  private static final double OF_MESSAGE = 4;

  /** What they put around a tool or a tool call, about. */
  private static final double OF_TOOL = 8;

  /** From 258 to 1,600, by provider and size. */
  private static final double OF_IMAGE = 800;

  /**
   * Characters of all texts together that are counted exactly: some ten milliseconds of work. For
   * more than that their kinds are good enough, as an estimate must cost next to nothing.
   */
  private static final long LONGEST_EXACT = 40_000;

  /** Before anything was answered. */
  private static final double FIRST_OUTPUT = 200;

  private static final double NEWEST_WEIGHT = 0.05;

  private final TokenCounter best;
  private final OutputCharge charge;
  // By characters, until a counter that takes long to load is wanted and there.
  private volatile Counting counting;

  // Guarded by this.
  private double output = FIRST_OUTPUT;
  private long answers;

  /** A way to count, and how far it has been off. */
  private record Counting(TokenCounter counter, Calibration calibration) {

    Counting(TokenCounter counter) {
      this(counter, new Calibration());
    }
  }

  TokenEstimate(TokenCounter best, OutputCharge charge) {
    this.best = best;
    this.charge = charge;
    this.counting = new Counting(best.isSlowToLoad() ? TokenCounter.byCharacters() : best);
  }

  /** Whether it could be better than it is. */
  boolean isRough() {
    return !counting.counter.equals(best);
  }

  /** From now on with the best counter there is; returns when that is loaded. */
  void refine() {
    best.load();
    counting = new Counting(best);
  }

  /**
   * @param counted tokens of the prompt as counted here, not corrected yet
   * @param calibration what it was corrected by, and may learn from it
   * @param cost what to reserve
   */
  record Estimate(double counted, Calibration calibration, Cost cost) {}

  /**
   * @param most tokens that the answer may have, as the provider is told
   */
  Estimate of(Request request, OptionalInt most) {
    Counting by = counting;
    double counted = count(request, by.counter);
    double input = counted * by.calibration.ratio();
    double expected = most.isPresent() ? Math.min(output(), most.getAsInt()) : output();
    return new Estimate(counted, by.calibration, new Cost(input, charge.of(input, expected, most)));
  }

  /** What became of an estimate. The output is a plain mean at first, then one that forgets. */
  void learn(Estimate estimate, Usage used) {
    if (!used.isTold()) {
      return;
    }
    estimate.calibration.observe(estimate.counted, used.inputTokens());
    synchronized (this) {
      answers++;
      output += Math.max(NEWEST_WEIGHT, 1.0 / answers) * (used.outputTokens() - output);
    }
  }

  private synchronized double output() {
    return output;
  }

  private static double count(Request request, TokenCounter counter) {
    var texts = new Texts();
    request.messages().forEach(texts::add);
    for (Tool tool : request.tools()) {
      texts.add(tool.name(), tool.description(), tool.parameters());
      texts.fixed += OF_TOOL;
    }
    request.settings().responseSchema().ifPresent(form -> texts.add(form.schema()));
    TokenCounter exact = texts.characters > LONGEST_EXACT ? TokenCounter.byCharacters() : counter;
    double tokens = texts.fixed;
    for (String part : texts.parts) {
      tokens += exact.count(part);
    }
    return tokens;
  }

  /** What there is to count in a request. */
  private static final class Texts {

    final List<String> parts = new ArrayList<>();
    long characters;
    double fixed;

    void add(Message message) {
      fixed += OF_MESSAGE;
      switch (message) {
        case Message.Instructions(String text) -> add(text);
        case Message.User(List<Content> content) -> content.forEach(this::add);
        case Message.Assistant said -> add(said);
        case Message.ToolResult result -> add(result.text());
      }
    }

    private void add(Content content) {
      switch (content) {
        case Content.Text(String text) -> add(text);
        // Never its text: a picture of a megabyte is not a million tokens.
        case Content.Image _ -> fixed += OF_IMAGE;
      }
    }

    private void add(Message.Assistant said) {
      if (said.nativeForm().isPresent()) {
        add(said.nativeForm().get().json());
        return;
      }
      add(said.text());
      for (ToolCall call : said.toolCalls()) {
        add(call.name(), call.arguments());
        fixed += OF_TOOL;
      }
    }

    void add(String... texts) {
      for (String text : texts) {
        parts.add(text);
        characters += text.length();
      }
    }
  }
}
