package dev.weir.simulator.server;

import dev.weir.model.ConfigurationException;
import dev.weir.simulator.answer.Coin;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;

/**
 * What the simulated model says: the first of what a header asks for, a scripted answer, a marker
 * in the prompt that is echoed, right or wrong where the target is known, and a fixed sentence.
 *
 * <pre>
 *   [[echo: this is the answer]]        the last one in the prompt counts
 *   [[target: Paris]]                   or the header x-weir-target
 *   x-weir-answer: the answer           a header, for clients that need a prompt of a given size
 *   x-weir-latency: 1.5s                how long this one takes
 * </pre>
 */
final class Answerer {

  static final String OTHERWISE = "This is a simulated answer.";

  private static final String ECHO = "[[echo:";
  private static final String TARGET = "[[target:";
  private static final String END = "]]";

  private final Script script;
  private final Coin coin;

  Answerer(Script script, Coin coin) {
    this.script = script;
    this.coin = coin;
  }

  /**
   * @param status an error with the text as its message, instead of an answer
   * @param latency how long it takes; empty for what all others take
   */
  record Said(String text, OptionalInt status, Optional<Duration> latency) {

    static Said of(String text) {
      return new Said(text, OptionalInt.empty(), Optional.empty());
    }
  }

  /**
   * @param header of the request, by name
   */
  Said answer(String prompt, Function<String, Optional<String>> header) {
    Said said =
        header
            .apply("x-weir-answer")
            .map(Said::of)
            .orElseGet(() -> answer(prompt, header.apply("x-weir-target")));
    Optional<Duration> latency =
        header
            .apply("x-weir-latency")
            .map(word -> latency(new Given("the header x-weir-latency", word)));
    return latency.isPresent() ? new Said(said.text, said.status, latency) : said;
  }

  private static Duration latency(Given given) {
    try {
      return given.duration();
    } catch (ConfigurationException unusable) {
      throw new BadCallException(String.valueOf(unusable.getMessage()));
    }
  }

  /**
   * @param target what is right, if the client says so apart from the prompt
   */
  private Said answer(String prompt, Optional<String> target) {
    return script
        .find(prompt)
        .map(line -> new Said(line.answer(), line.status(), line.latency()))
        .or(() -> marked(prompt, ECHO).map(Said::of))
        .or(
            () ->
                target
                    .filter(text -> !text.isBlank())
                    .or(() -> marked(prompt, TARGET))
                    .map(right -> Said.of(coin.answer(prompt, Optional.of(right)))))
        .orElse(Said.of(OTHERWISE));
  }

  /** The text of the last marker that has an end and is not empty. */
  private static Optional<String> marked(String prompt, String marker) {
    int start = prompt.lastIndexOf(marker);
    int end = start < 0 ? -1 : prompt.indexOf(END, start);
    return end < 0
        ? Optional.empty()
        : Optional.of(prompt.substring(start + marker.length(), end).strip())
            .filter(text -> !text.isEmpty());
  }
}
