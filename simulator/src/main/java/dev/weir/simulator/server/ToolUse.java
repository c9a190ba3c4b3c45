package dev.weir.simulator.server;

import tools.jackson.databind.JsonNode;

/**
 * The model calls a tool.
 *
 * @param arguments as the prompt asks for them, so perhaps no JSON
 */
record ToolUse(String name, String arguments) {

  /** The arguments for an API that carries an object. */
  JsonNode input() {
    return Json.objectOf(arguments);
  }
}
