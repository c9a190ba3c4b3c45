package dev.weir.providers.google;

/** Ids of tool calls: the API gives some calls none, and then wants none back. */
final class CallIds {

  private static final String OURS = "weir-call-";

  private CallIds() {}

  /** For the call of that number in its message. */
  static String make(int index) {
    return OURS + index;
  }

  /** Whether the API gave it. */
  static boolean isGiven(String id) {
    return !id.isEmpty() && !id.startsWith(OURS);
  }
}
