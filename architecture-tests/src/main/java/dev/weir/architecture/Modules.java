package dev.weir.architecture;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The dependency table of docs/architecture.md. It names all modules of the design, also those that
 * are not built yet, so that each finds its rule when it comes.
 */
final class Modules {

  /** Each module with those it may use directly; what those use, it may see as well. */
  static final Map<String, List<String>> MAY_USE = new LinkedHashMap<>();

  static {
    MAY_USE.put("time", List.of());
    MAY_USE.put("limits", List.of("time"));
    MAY_USE.put("statistics", List.of());
    MAY_USE.put("selection", List.of("statistics"));
    MAY_USE.put("log", List.of("time"));
    MAY_USE.put("model", List.of("limits"));
    MAY_USE.put("telemetry", List.of("model", "limits", "web"));
    MAY_USE.put("web", List.of("time"));
    MAY_USE.put("providers", List.of("model"));
    MAY_USE.put("simulator", List.of("model", "web"));
    MAY_USE.put("eval", List.of("model", "log", "selection", "statistics", "telemetry"));
    MAY_USE.put("gateway", List.of("model", "telemetry", "web"));
    MAY_USE.put("viewer", List.of("log", "statistics", "web"));
    MAY_USE.put("cluster", List.of("limits", "eval", "log"));
    MAY_USE.put("junit", List.of("eval"));
    MAY_USE.put("parquet", List.of("eval"));
    MAY_USE.put("otel", List.of("telemetry"));
    MAY_USE.put("embeddings", List.of("eval"));
    MAY_USE.put("scripting", List.of("eval"));
    MAY_USE.put("testkit", List.of("model", "limits", "log"));
    MAY_USE.put(
        "cli", List.of("eval", "gateway", "viewer", "cluster", "junit", "providers", "simulator"));
  }

  private Modules() {}

  /** The modules that a module may see, itself included. */
  static Set<String> visibleTo(String module) {
    Set<String> visible = new LinkedHashSet<>();
    collect(module, visible);
    return visible;
  }

  private static void collect(String module, Set<String> into) {
    if (into.add(module)) {
      MAY_USE.getOrDefault(module, List.of()).forEach(used -> collect(used, into));
    }
  }
}
