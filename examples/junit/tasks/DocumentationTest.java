package tasks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.source.TaskSources;
import dev.weir.eval.task.TaskInput;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What docs/java-tasks.md shows is what works. */
class DocumentationTest {

  private static final Path ROOT = Path.of(System.getProperty("weir.root"));
  private static final Pattern JAVA = Pattern.compile("(?s)```java\n(.*?)```");
  private static final Pattern CLASS = Pattern.compile("(?m)^class (\\w+)");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)#]+)\\)");

  @TempDir Path directory;

  private static String document() throws IOException {
    return Files.readString(ROOT.resolve("docs/java-tasks.md"));
  }

  private List<Path> examples() throws IOException {
    List<Path> files = new ArrayList<>();
    Matcher blocks = JAVA.matcher(document());
    while (blocks.find()) {
      Matcher name = CLASS.matcher(blocks.group(1));
      assertThat(name.find()).as("a class in: %s", blocks.group(1)).isTrue();
      files.add(Files.writeString(directory.resolve(name.group(1) + ".java"), blocks.group(1)));
    }
    return files;
  }

  @Test
  void examplesCompileWithoutWarnings() throws Exception {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    List<Path> examples = examples();
    assertThat(examples).hasSize(3);
    for (Path example : examples) {
      var said = new StringWriter();
      List<String> options =
          List.of("-proc:none", "-Xlint:all", "-Werror", "-d", directory.toString());
      try (var files = compiler.getStandardFileManager(null, null, null)) {
        boolean compiled =
            compiler
                .getTask(said, files, null, options, null, files.getJavaFileObjects(example))
                .call();
        assertThat(compiled).as("%s: %s", example, said).isTrue();
      }
    }
  }

  @Test
  void tasksCanBeLoaded() throws Exception {
    int tasks = 0;
    for (Path example : examples()) {
      if (Files.readString(example).contains("@EvalTask")) {
        tasks += TaskSources.load(example.toString(), TaskInput.process()).size();
      }
    }
    assertThat(tasks).isEqualTo(3);
  }

  @Test
  void linksLeadToFiles() throws Exception {
    Matcher links = LINK.matcher(document());
    int found = 0;
    while (links.find()) {
      assertThat(ROOT.resolve("docs").resolve(links.group(1)).normalize()).exists();
      found++;
    }
    assertThat(found).isPositive();
  }
}
