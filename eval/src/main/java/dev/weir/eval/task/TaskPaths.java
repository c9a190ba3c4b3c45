package dev.weir.eval.task;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What relative paths of a task that is written in Java start from: the directory of its file or
 * jar, as in a task file; the working directory for what is made elsewhere.
 */
public final class TaskPaths {

  private static final ScopedValue<Path> DIRECTORY = ScopedValue.newInstance();

  private TaskPaths() {}

  /** The path of a file that belongs to the task that is being made. */
  public static Path resolve(String path) {
    return DIRECTORY.orElse(Path.of("")).resolve(path).normalize();
  }

  /** Makes a task whose paths are relative to a directory. */
  public static <T extends @Nullable Object, X extends Throwable> T relativeTo(
      Path directory, ScopedValue.CallableOp<T, X> making) throws X {
    return ScopedValue.where(DIRECTORY, directory).call(making);
  }
}
