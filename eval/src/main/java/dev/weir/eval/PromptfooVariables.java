package dev.weir.eval;

import dev.weir.eval.option.Options;
import dev.weir.eval.promptfoo.PromptfooConfig;
import dev.weir.eval.task.TaskDefinition;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Variables of promptfoo that are set beside tasks that are no configurations of it. */
final class PromptfooVariables {

  private PromptfooVariables() {}

  /** A sentence for each that has no effect on some of the tasks. */
  static List<String> unused(List<TaskDefinition> tasks, Map<String, String> environment) {
    List<String> set =
        PromptfooConfig.variables().keySet().stream()
            .filter(name -> !environment.getOrDefault(name, "").isBlank())
            .sorted()
            .toList();
    if (set.isEmpty()) {
      return List.of();
    }
    List<String> others =
        tasks.stream()
            .filter(task -> !isPromptfoo(task))
            .map(TaskDefinition::name)
            .distinct()
            .limit(3)
            .toList();
    return others.isEmpty()
        ? List.of()
        : set.stream()
            .map(
                name ->
                    "%s has no effect on %s: it applies to configurations of promptfoo; use %s"
                        .formatted(name, String.join(", ", others), instead(name)))
            .toList();
  }

  private static String instead(String variable) {
    return Options.named(PromptfooConfig.variables().getOrDefault(variable, "")).variable();
  }

  private static boolean isPromptfoo(TaskDefinition task) {
    return task.provenance()
        .origin()
        .filter(
            origin -> {
              try {
                return PromptfooConfig.isPromptfoo(Path.of(origin.source()));
              } catch (InvalidPathException aClass) {
                return false;
              }
            })
        .isPresent();
  }
}
