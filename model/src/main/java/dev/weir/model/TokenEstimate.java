package dev.weir.model;

import dev.weir.limits.pace.Cost;

/**
 * What a request will probably cost, before it is made: four characters to a token, and as much
 * output as earlier answers had.
 *
 * <p>Thread-safe.
 */
final class TokenEstimate {

  private static final int CHARACTERS_PER_TOKEN = 4;

  /** Before anything was answered. */
  private static final double FIRST_OUTPUT = 200;

  private static final double NEWEST_WEIGHT = 0.05;

  // Guarded by this.
  private double output = FIRST_OUTPUT;
  private long answers;

  synchronized Cost of(Request request) {
    long characters = 0;
    for (Message message : request.messages()) {
      characters += message.text().length();
    }
    return new Cost(Math.ceilDiv(characters, CHARACTERS_PER_TOKEN), output);
  }

  /** A plain mean at first, then one that forgets. */
  synchronized void learn(Usage used) {
    answers++;
    output += Math.max(NEWEST_WEIGHT, 1.0 / answers) * (used.outputTokens() - output);
  }
}
