package dev.weir.eval.source;

import dev.weir.eval.dataset.InputFile;
import dev.weir.eval.promptfoo.PromptfooConfig;
import dev.weir.model.ConfigurationException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** The files of a directory that hold tasks, told by a look at how they begin. */
final class TaskDirectory {

  private static final int DEEPEST = 16;
  private static final int MOST_FILES = 10_000;
  private static final int BEGINNING = 1 << 16;

  /** What is built, installed or written there is not what the user wrote. */
  private static final Set<String> PASSED_OVER = Set.of("target", "build", "node_modules", "logs");

  private static final Pattern TASK_KEY = Pattern.compile("(?m)^[\"']?task[\"']?\\s*:");

  /** A selection names a task, and is none. */
  private static final Pattern NODES_KEY = Pattern.compile("(?m)^[\"']?nodes[\"']?\\s*:");

  private static final Pattern PROMPTS_KEY = Pattern.compile("(?m)^[\"']?prompts[\"']?\\s*:");

  /** Tests are for a build, with more on its class path than there is here. */
  private static final Pattern TEST_IMPORT =
      Pattern.compile("(?m)^\\s*import\\s+(static\\s+)?(org\\.junit|dev\\.weir\\.junit)\\.");

  private TaskDirectory() {}

  /**
   * In the order of their names.
   *
   * @throws ConfigurationException if there is none, or too much else
   */
  static List<Path> files(Path directory) {
    var finder = new Finder(directory);
    try {
      Files.walkFileTree(directory, EnumSet.of(FileVisitOption.FOLLOW_LINKS), DEEPEST, finder);
    } catch (IOException unreadable) {
      throw InputFile.unreadable(directory, unreadable);
    }
    if (finder.found.isEmpty()) {
      throw new ConfigurationException(
          ("%s: there is no task in this directory; a task is a .yaml file with the key `task`, a"
                  + " promptfooconfig.yaml, or a .java file with @EvalTask that is no JUnit test")
              .formatted(directory));
    }
    Collections.sort(finder.found);
    return finder.found;
  }

  private static final class Finder extends SimpleFileVisitor<Path> {

    private final Path directory;
    private final List<Path> found = new ArrayList<>();
    private int seen;

    Finder(Path directory) {
      this.directory = directory;
    }

    @Override
    public FileVisitResult preVisitDirectory(Path visited, BasicFileAttributes attributes) {
      String name = String.valueOf(visited.getFileName());
      return !visited.equals(directory)
              && (PASSED_OVER.contains(name) || (name.startsWith(".") && name.length() > 1))
          ? FileVisitResult.SKIP_SUBTREE
          : FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      if (++seen > MOST_FILES) {
        throw new ConfigurationException(
            "%s holds more than %s files; name a directory with less in it"
                .formatted(directory, MOST_FILES));
      }
      if (attributes.isRegularFile() && isTask(file)) {
        found.add(file);
      }
      return FileVisitResult.CONTINUE;
    }

    /** A link that leads nowhere, or around, is nobody's task. */
    @Override
    public FileVisitResult visitFileFailed(Path file, IOException unreadable) {
      return FileVisitResult.CONTINUE;
    }
  }

  private static boolean isTask(Path file) throws IOException {
    String name = file.toString().toLowerCase(Locale.ROOT);
    if (name.endsWith(".yaml") || name.endsWith(".yml")) {
      String beginning = beginning(file);
      return (TASK_KEY.matcher(beginning).find() && !NODES_KEY.matcher(beginning).find())
          || (PROMPTS_KEY.matcher(beginning).find() && PromptfooConfig.isPromptfoo(file));
    }
    if (!name.endsWith(".java")) {
      return false;
    }
    String beginning = beginning(file);
    return beginning.contains("@EvalTask") && !TEST_IMPORT.matcher(beginning).find();
  }

  private static String beginning(Path file) throws IOException {
    try (InputStream content = Files.newInputStream(file)) {
      return new String(content.readNBytes(BEGINNING), StandardCharsets.UTF_8);
    }
  }
}
