package dev.weir.testkit;

/** Prompts that make the simulator's server play a scene. */
final class SimulatorPrompts {

  private SimulatorPrompts() {}

  static String of(Scene scene) {
    return switch (scene) {
      case Scene.Says(String text) -> "[[echo: %s]]".formatted(text);
      case Scene.SaysWithNothingLeft(String text) ->
          ("[[echo: %s]] [[header: x-ratelimit-limit-requests: 1]]"
                  + " [[header: x-ratelimit-remaining-requests: 0]]"
                  + " [[header: x-ratelimit-reset-requests: 60s]]")
              .formatted(text);
      case Scene.CallsTool(String tool, String arguments) ->
          "[[tool: %s %s]]".formatted(tool, arguments);
      case Scene.Refuses refusal -> refusal(refusal);
      case Scene.SendsPage _ -> "[[html]]";
      case Scene.BreaksOff _ -> "[[truncate]]";
      case Scene.SendsNonsense _ -> "[[notjson]]";
      case Scene.SendsTooMuch _ -> "[[large: 80 MB]]";
      case Scene.TakesLong _ -> "[[latency: 120s]] [[echo: late]]";
    };
  }

  private static String refusal(Scene.Refuses refusal) {
    String status =
        "[[status: %d {\"error\": {\"message\": \"%s\"}}]]"
            .formatted(refusal.status(), refusal.message());
    return refusal.retryAfter().isZero()
        ? status
        : "%s [[header: retry-after: %d]]".formatted(status, refusal.retryAfter().toSeconds());
  }
}
