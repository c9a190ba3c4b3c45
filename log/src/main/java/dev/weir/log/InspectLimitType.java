package dev.weir.log;

import java.util.Set;

/** The types of sample limits that Inspect reads; any other would make a sample unreadable. */
final class InspectLimitType {

  private static final String CUSTOM = "custom";

  /** The only type that a sample may have, but not an event. */
  private static final String CONTEXT = "context";

  private static final Set<String> KNOWN =
      Set.of("time", "working", "message", "token", "turn", "cost", "operator", CUSTOM);

  private InspectLimitType() {}

  /** As a sample and its summary have it; the type itself is in the sample's metadata. */
  static String ofSample(SampleResult.LimitHit hit) {
    return hit.type().equals(CONTEXT) ? CONTEXT : ofEvent(hit);
  }

  /** As the event {@code sample_limit} has it. */
  static String ofEvent(SampleResult.LimitHit hit) {
    return KNOWN.contains(hit.type()) ? hit.type() : CUSTOM;
  }
}
