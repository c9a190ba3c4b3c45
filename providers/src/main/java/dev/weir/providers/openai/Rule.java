package dev.weir.providers.openai;

import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/** One line of a table: when an error is of this kind, it means that. */
record Rule(Predicate<Refusal> when, Meaning meaning) {

  static Predicate<Refusal> status(int... statuses) {
    return refusal -> Arrays.stream(statuses).anyMatch(status -> status == refusal.status());
  }

  static Predicate<Refusal> serverFault() {
    return refusal -> refusal.status() >= 500;
  }

  /** The type or the code is one of these, in lower case. */
  static Predicate<Refusal> code(String... words) {
    List<String> known = List.of(words);
    return refusal -> refusal.error().is(known);
  }

  /** The message contains one of these, in lower case. */
  static Predicate<Refusal> says(String... words) {
    return refusal -> Arrays.stream(words).anyMatch(refusal.error()::says);
  }
}
