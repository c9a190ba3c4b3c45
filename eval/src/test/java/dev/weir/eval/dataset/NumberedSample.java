package dev.weir.eval.dataset;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Samples whose ids are numbers, as those of rows without an id are. */
public final class NumberedSample {

  private NumberedSample() {}

  public static Sample of(String id, String input, String target) {
    return new Sample(
        id,
        input,
        List.of(),
        List.of(target),
        List.of(),
        Map.of(),
        Map.of(),
        Optional.empty(),
        true);
  }
}
