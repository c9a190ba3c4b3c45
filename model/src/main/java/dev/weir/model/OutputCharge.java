package dev.weir.model;

import java.util.OptionalInt;

/** What a provider takes from a quota for an answer that it has not written yet. */
enum OutputCharge {
  /** Not known: what is likely to be used. */
  EXPECTED {
    @Override
    double of(double input, double expected, OptionalInt maxTokens) {
      return expected;
    }
  },
  /** The most tokens of the answer, corrected at its end. */
  MAX_TOKENS {
    @Override
    double of(double input, double expected, OptionalInt maxTokens) {
      return maxTokens.isPresent() ? maxTokens.getAsInt() : expected;
    }
  },
  /** The most tokens of the answer or the size of the prompt, whichever is more. */
  LARGER_OF_BOTH {
    @Override
    double of(double input, double expected, OptionalInt maxTokens) {
      return maxTokens.isPresent() ? Math.max(expected, maxTokens.getAsInt() - input) : expected;
    }
  };

  /** What the documentation of an engine says. */
  static OutputCharge of(String engine) {
    return switch (engine) {
      case "openai" -> LARGER_OF_BOTH;
      case "anthropic", "azure", "bedrock" -> MAX_TOKENS;
      default -> EXPECTED;
    };
  }

  /**
   * @param input tokens of the prompt
   * @param expected tokens of the answer, going by earlier ones
   * @param maxTokens the most that the answer may have, if that was said
   */
  abstract double of(double input, double expected, OptionalInt maxTokens);
}
