package dev.weir.eval.source;

import dev.weir.eval.task.TaskDefinition;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Printable;
import dev.weir.model.Spelling;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What a user named: {@code Tasks.java@capitals}.
 *
 * @param place a file or a class
 * @param task one of its tasks; absent for all of them
 */
record Named(String place, Optional<String> task) {

  /** A file may have the sign in its own name, and so may a task of a file. */
  static Named parse(String spec) {
    if (isFile(spec) || spec.lastIndexOf('@') < 1) {
      return new Named(spec, Optional.empty());
    }
    int sign = spec.lastIndexOf('@');
    for (int other = sign; other > 0; other = spec.lastIndexOf('@', other - 1)) {
      if (isFile(spec.substring(0, other))) {
        sign = other;
        break;
      }
    }
    return new Named(spec.substring(0, sign), Optional.of(spec.substring(sign + 1)));
  }

  /**
   * Those that were named.
   *
   * @throws ConfigurationException if there is none
   */
  List<TaskDefinition> among(List<TaskDefinition> tasks) {
    if (task.isEmpty()) {
      return tasks;
    }
    List<TaskDefinition> chosen =
        tasks.stream().filter(made -> made.name().equals(task.get())).toList();
    if (chosen.isEmpty()) {
      List<String> names = tasks.stream().map(TaskDefinition::name).toList();
      throw new ConfigurationException(
          "%s: there is no task '%s'; %s%s"
              .formatted(
                  place,
                  Printable.line(task.get()),
                  Spelling.nearest(task.get(), names)
                      .map("did you mean '%s'? It has "::formatted)
                      .orElse("it has "),
                  names.stream().map("'%s'"::formatted).collect(Collectors.joining(", "))));
    }
    return chosen;
  }

  @Override
  public String toString() {
    return task.map(name -> place + "@" + name).orElse(place);
  }

  private static boolean isFile(String spec) {
    try {
      return Files.isRegularFile(Path.of(spec));
    } catch (InvalidPathException malformed) {
      return false;
    }
  }
}
