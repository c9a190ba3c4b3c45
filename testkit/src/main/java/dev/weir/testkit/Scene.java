package dev.weir.testkit;

import java.time.Duration;

/** What a model is to do next; a suite's prompts bring it about. */
public sealed interface Scene {

  /** Answers with exactly this text. */
  record Says(String text) implements Scene {}

  /** As {@link Says}, and tells that nothing is left of its quota. */
  record SaysWithNothingLeft(String text) implements Scene {}

  /**
   * Calls a tool.
   *
   * @param arguments a JSON object
   */
  record CallsTool(String tool, String arguments) implements Scene {}

  /**
   * Refuses.
   *
   * @param status of HTTP
   * @param message for people
   * @param retryAfter how long it asks to wait, in whole seconds; zero if it does not
   */
  record Refuses(int status, String message, Duration retryAfter) implements Scene {}

  /** Answers with a page for people, and status 200. */
  record SendsPage() implements Scene {}

  /** Hangs up in the middle of an answer. */
  record BreaksOff() implements Scene {}

  /** Answers with something else than its API promises. */
  record SendsNonsense() implements Scene {}

  /** Answers with more than anybody reads. */
  record SendsTooMuch() implements Scene {}

  /** Answers after a minute or more. */
  record TakesLong() implements Scene {}
}
