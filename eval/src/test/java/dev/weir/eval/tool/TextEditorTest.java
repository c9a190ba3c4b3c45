package dev.weir.eval.tool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.sample.EvalTool;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.json.JsonMapper;

/** On files of a real sandbox. */
@Timeout(120)
class TextEditorTest {

  private static final JsonMapper JSON = new JsonMapper();

  private final RealContext context = new RealContext();
  private final EvalTool editor = Tools.textEditor();

  @AfterEach
  void close() {
    context.close();
  }

  private EvalTool.Result edit(String command, String path, Object... more)
      throws InterruptedException {
    Map<String, Object> arguments = new LinkedHashMap<>();
    arguments.put("command", command);
    arguments.put("path", path);
    for (int i = 0; i < more.length; i += 2) {
      arguments.put((String) more[i], more[i + 1]);
    }
    return context.call(editor, JSON.writeValueAsString(arguments));
  }

  private void done(String command, String path, Object... more) throws InterruptedException {
    EvalTool.Result result = edit(command, path, more);
    assertThat(result.failed()).as(result.text()).isFalse();
  }

  private String told(String command, String path, Object... more) throws InterruptedException {
    EvalTool.Result result = edit(command, path, more);
    assertThat(result.failed()).as(result.text()).isTrue();
    return result.text();
  }

  private String content(String path) throws Exception {
    return new String(context.sandbox().readFile(path), StandardCharsets.UTF_8);
  }

  @Test
  void showsLinesWithTheirNumbers() throws Exception {
    assertThat(edit("create", "deep/er/f.txt", "file_text", "one\r\ntwo\nthree").text())
        .isEqualTo("deep/er/f.txt: created, 3 lines.");
    assertThat(edit("view", "deep/er/f.txt").text())
        .isEqualTo("     1\tone\n     2\ttwo\n     3\tthree\n");
    assertThat(edit("view", "deep/er/f.txt", "view_range", List.of(2, 2)).text())
        .isEqualTo("     2\ttwo\n");
    assertThat(edit("view", "deep/er/f.txt", "view_range", List.of(2, -1)).text())
        .isEqualTo("     2\ttwo\n     3\tthree\n");
    assertThat(told("view", "deep/er/f.txt", "view_range", List.of(3, 2)))
        .contains("within the 3 lines");
    assertThat(told("view", "deep/er/f.txt", "view_range", List.of(1, 4)))
        .contains("within the 3 lines");
    assertThat(told("view", "deep/er/f.txt", "view_range", List.of(1))).contains("two numbers");
    done("create", "empty", "file_text", "");
    assertThat(edit("view", "empty").text()).isEqualTo("(empty is empty)");
  }

  @Test
  void showsWhatADirectoryContains() throws Exception {
    done("create", "a/b/c/d", "file_text", "x");
    done("create", "a/.hidden", "file_text", "x");
    done("create", "-odd", "file_text", "x");
    assertThat(edit("view", ".").text())
        .isEqualTo("In ., two levels deep, without hidden files:\n-odd\na\na/b");
    assertThat(told("view", ".", "view_range", List.of(1, 2))).contains("is a directory");
    assertThat(told("create", "a", "file_text", "x")).contains("it is a directory");
  }

  @Test
  void replacesOnlyWhatOccursOnce() throws Exception {
    done("create", "f", "file_text", "a\nb\na\nc\n");
    assertThat(told("str_replace", "f", "old_str", "a", "new_str", "x"))
        .isEqualTo(
            "`old_str` occurs 2 times in f (lines 1, 3), but must occur once: add what is around"
                + " it");
    assertThat(told("str_replace", "f", "old_str", "zzz", "new_str", "x"))
        .isEqualTo("`old_str` occurs 0 times in f, but must occur once");
    assertThat(told("str_replace", "f", "old_str", "")).contains("must not be empty");
    assertThat(told("str_replace", "f")).isEqualTo("`old_str` is missing: str_replace needs it");
    assertThat(content("f")).isEqualTo("a\nb\na\nc\n");
    assertThat(edit("str_replace", "f", "old_str", "a\nc", "new_str", "A\nB\nC").text())
        .isEqualTo("f was changed:\n     1\ta\n     2\tb\n     3\tA\n     4\tB\n     5\tC\n");
    done("str_replace", "f", "old_str", "b\n");
    assertThat(content("f")).isEqualTo("a\nA\nB\nC\n");
    // Two that overlap are two.
    done("create", "f", "file_text", "aaa");
    assertThat(told("str_replace", "f", "old_str", "aa", "new_str", "b")).contains("2 times");
    done("create", "f", "file_text", "a\r\nb\r\n");
    assertThat(told("str_replace", "f", "old_str", "a\nb", "new_str", "x")).contains("\\r\\n");
  }

  @Test
  void insertsAfterALine() throws Exception {
    done("create", "f", "file_text", "one\nthree");
    done("insert", "f", "insert_line", 1, "new_str", "two");
    done("insert", "f", "insert_line", 3, "new_str", "four");
    done("insert", "f", "insert_line", 0, "new_str", "zero\n");
    assertThat(content("f")).isEqualTo("zero\none\ntwo\nthree\nfour");
    assertThat(told("insert", "f", "insert_line", 6, "new_str", "x"))
        .isEqualTo("`insert_line` must be from 0 to 5, the last line of f, was 6");
    assertThat(told("insert", "f", "insert_line", -1, "new_str", "x")).contains("from 0 to 5");
    assertThat(told("insert", "f", "new_str", "x")).contains("`insert_line` is missing");
  }

  @Test
  void takesBackStepByStep() throws Exception {
    done("create", "f", "file_text", "1\n");
    done("create", context.sandbox().workingDirectory() + "/f", "file_text", "2\n");
    done("create", "other", "file_text", "x");
    done("insert", "./f", "insert_line", 1, "new_str", "3");
    assertThat(content("f")).isEqualTo("2\n3\n");
    done("undo_edit", "f");
    assertThat(content("f")).isEqualTo("2\n");
    done("undo_edit", "f");
    assertThat(content("f")).isEqualTo("1\n");
    assertThat(edit("undo_edit", "f").text()).isEqualTo("f: removed again.");
    assertThat(told("view", "f")).contains("there is no such file");
    assertThat(told("undo_edit", "f")).isEqualTo("there is no change of f to take back");
    assertThat(content("other")).isEqualTo("x");
  }

  @Test
  void whatCannotBeDoneIsTold() throws Exception {
    assertThat(told("delete", "f")).contains("must be one of view, create, str_replace, insert");
    assertThat(told("vieuw", "f")).contains("did you mean 'view'?");
    assertThat(told("view", "../../etc/passwd")).contains("leads out of the sandbox");
    assertThat(told("view", "a\0b")).contains("cannot be the path of a file");
    assertThat(told("create", "f")).isEqualTo("`file_text` is missing: create needs it");
    context.sandbox().writeFile("binary", new byte[] {(byte) 0xff, 0, 1});
    assertThat(told("view", "binary")).isEqualTo("binary is not a text file (UTF-8)");
    done("create", "long", "file_text", "line\n".repeat(20_000));
    assertThat(edit("view", "long").text())
        .contains("characters are left out here")
        .hasSizeLessThan(16_600);
  }

  @Test
  void anyNumberOfEditsDoesWhatItSaysAndIsTakenBack() throws Exception {
    var random = new SplittableRandom(7);
    Deque<String> versions = new ArrayDeque<>();
    String text = text(random);
    done("create", "f", "file_text", text);
    for (int step = 0; step < 40; step++) {
      versions.push(text);
      text = changed(text, random);
      assertThat(content("f")).as("step %s", step).isEqualTo(text);
    }
    while (!versions.isEmpty()) {
      done("undo_edit", "f");
      assertThat(content("f")).isEqualTo(versions.pop());
    }
  }

  /** Edits at random; what the file must then contain. */
  private String changed(String text, SplittableRandom random) throws Exception {
    List<String> lines = new ArrayList<>(text.lines().toList());
    int start = random.nextInt(text.length() + 1);
    int end = start + random.nextInt(text.length() - start + 1);
    String old = text.substring(start, end);
    boolean isUnique = !old.isEmpty() && text.indexOf(old) == text.lastIndexOf(old);
    if (isUnique && random.nextBoolean()) {
      String replacement = text(random);
      done("str_replace", "f", "old_str", old, "new_str", replacement);
      return text.substring(0, start) + replacement + text.substring(end);
    }
    if (random.nextInt(4) == 0) {
      String whole = text(random);
      done("create", "f", "file_text", whole);
      return whole;
    }
    int after = random.nextInt(lines.size() + 1);
    String added = "added %d\nsecond".formatted(random.nextInt());
    done("insert", "f", "insert_line", after, "new_str", added);
    lines.addAll(after, added.lines().toList());
    boolean hasNoEnd = !text.isEmpty() && !text.endsWith("\n");
    return String.join("\n", lines) + (hasNoEnd ? "" : "\n");
  }

  private static String text(SplittableRandom random) {
    var text = new StringBuilder();
    int length = random.nextInt(60);
    for (int i = 0; i < length; i++) {
      text.append("ab \n\t\"\\ü€".charAt(random.nextInt(9)));
    }
    return text.toString();
  }
}
