package dev.weir.simulator.server;

import java.util.List;

/**
 * The tools that a request offers to the model.
 *
 * @param named the tool that must be called; empty for any
 */
record Offer(List<String> tools, Choice choice, String named) {

  static final Offer NONE = new Offer(List.of(), Choice.FORBIDDEN, "");

  /** What the model may do with tools. */
  enum Choice {
    FORBIDDEN,
    FREE,
    FORCED
  }

  Offer {
    tools = List.copyOf(tools);
    if (choice == Choice.FORCED && tools.isEmpty()) {
      throw new BadCallException("A tool must be called, but `tools` is empty.");
    }
    if (!named.isEmpty() && !tools.contains(named)) {
      throw new BadCallException("The tool that must be called is not among `tools`.");
    }
  }

  static Offer free(List<String> tools) {
    return tools.isEmpty() ? NONE : new Offer(tools, Choice.FREE, "");
  }

  static Offer forced(List<String> tools) {
    return new Offer(tools, Choice.FORCED, "");
  }

  static Offer forced(List<String> tools, String named) {
    return new Offer(tools, Choice.FORCED, named);
  }

  boolean allowsCalls() {
    return choice != Choice.FORBIDDEN && !tools.isEmpty();
  }

  /** The tool that is called where nothing says which. */
  String preferred() {
    return named.isEmpty() ? tools.getFirst() : named;
  }
}
