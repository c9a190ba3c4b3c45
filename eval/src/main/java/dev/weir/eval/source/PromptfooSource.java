package dev.weir.eval.source;

import dev.weir.eval.promptfoo.PromptfooConfig;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.eval.task.TaskInput;
import java.nio.file.Path;
import java.util.List;

/** The tasks of a configuration of promptfoo: one for each provider and prompt. */
record PromptfooSource(Named named, Path file) implements TaskSource {

  @Override
  public String spec() {
    return named.toString();
  }

  @Override
  public Kind kind() {
    return Kind.PROMPTFOO;
  }

  @Override
  public List<TaskDefinition> load(TaskInput input) {
    return named.among(PromptfooConfig.read(file, input.environment()));
  }
}
