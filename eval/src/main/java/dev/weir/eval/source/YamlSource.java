package dev.weir.eval.source;

import dev.weir.eval.task.TaskDefinition;
import dev.weir.eval.task.TaskFile;
import dev.weir.eval.task.TaskInput;
import java.nio.file.Path;
import java.util.List;

/** The task of a YAML file. */
record YamlSource(Named named, Path file) implements TaskSource {

  @Override
  public String spec() {
    return named.toString();
  }

  @Override
  public Kind kind() {
    return Kind.YAML;
  }

  /** They are variables, of which a file may mention any. */
  @Override
  public boolean takesAny() {
    return true;
  }

  @Override
  public List<TaskDefinition> load(TaskInput input) {
    return named.among(List.of(TaskFile.read(file, input)));
  }
}
