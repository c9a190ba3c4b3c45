package dev.weir.eval.tool;

import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sample.SampleContext.Lifetime;
import dev.weir.eval.sandbox.ExecRequest;
import dev.weir.eval.sandbox.ExecResult;
import dev.weir.eval.sandbox.Sandbox;
import dev.weir.eval.sandbox.SandboxFileException;
import dev.weir.eval.sandbox.SandboxFileException.Reason;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Shows and changes text files of the sandbox. What went wrong is told to the model, and has
 * changed nothing.
 *
 * @param maxOutput characters that are shown at most
 */
record TextEditor(int maxOutput) implements InSandbox {

  static final String NAME = "text_editor";

  private static final int MOST_MATCHES_SHOWN = 20;

  /** As models know them. */
  enum Command {
    VIEW,
    CREATE,
    STR_REPLACE,
    INSERT,
    UNDO_EDIT;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  @ToolMethod(
      name = NAME,
      value =
          "Shows and edits text files. `view` shows a file with line numbers, or what a directory"
              + " contains; `create` writes a whole file, in place of one that exists;"
              + " `str_replace` replaces a text that occurs exactly once; `insert` adds lines;"
              + " `undo_edit` takes back the last change of a file, repeatedly if need be.")
  String edit(
      @Param("What to do.") Command command,
      @Param("The file; relative to the working directory, or absolute.") String path,
      @Param(
              name = "view_range",
              value =
                  "For `view`: the first and the last line, such as [11, 20]; -1 is the last of the"
                      + " file. Without it everything is shown.")
          Optional<List<Integer>> viewRange,
      @Param(name = "file_text", value = "For `create`: what the file is to contain.")
          Optional<String> fileText,
      @Param(
              name = "old_str",
              value =
                  "For `str_replace`: the text to replace, to the letter, with as much around it as"
                      + " makes it unique.")
          Optional<String> oldText,
      @Param(
              name = "new_str",
              value =
                  "For `str_replace`: what to put in its place; nothing, if left out. For `insert`:"
                      + " the lines to add.")
          Optional<String> newText,
      @Param(
              name = "insert_line",
              value = "For `insert`: the line after which to add; 0 for the beginning.")
          Optional<Integer> insertLine,
      SampleContext context)
      throws InterruptedException {
    Session session = new Session(context, context.sandbox(), path);
    try {
      return switch (command) {
        case VIEW -> session.view(viewRange);
        case CREATE -> session.create(needed(fileText, "file_text", command));
        case STR_REPLACE ->
            session.replace(needed(oldText, "old_str", command), newText.orElse(""));
        case INSERT ->
            session.insert(
                needed(insertLine, "insert_line", command), needed(newText, "new_str", command));
        case UNDO_EDIT -> session.undo();
      };
    } catch (SandboxFileException refused) {
      throw new ToolException(String.valueOf(refused.getMessage()), refused);
    }
  }

  private static <T> T needed(Optional<T> argument, String name, Command command) {
    return argument.orElseThrow(
        () -> new ToolException("`%s` is missing: %s needs it".formatted(name, command)));
  }

  /** One call. */
  private final class Session {

    private final SampleContext context;
    private final Sandbox sandbox;
    private final String path;
    private final String absolute;

    Session(SampleContext context, Sandbox sandbox, String path) {
      this.context = context;
      this.sandbox = sandbox;
      this.path = path;
      try {
        this.absolute = Path.of(sandbox.workingDirectory()).resolve(path).normalize().toString();
      } catch (InvalidPathException noPath) {
        throw new ToolException("`path` cannot be the path of a file", noPath);
      }
    }

    String view(Optional<List<Integer>> range) throws SandboxFileException, InterruptedException {
      String content;
      try {
        content = read();
      } catch (SandboxFileException refused) {
        if (refused.reason() != Reason.IS_DIRECTORY) {
          throw refused;
        }
        if (range.isPresent()) {
          throw new ToolException(
              "`view_range` is for files, and %s is a directory".formatted(path));
        }
        return listing();
      }
      NumberedLines lines = NumberedLines.of(content);
      int first = 1;
      int last = lines.count();
      if (range.isPresent()) {
        List<Integer> wanted = range.get();
        if (wanted.size() != 2) {
          throw new ToolException("`view_range` must be two numbers, was " + wanted);
        }
        first = wanted.getFirst();
        last = wanted.getLast() == -1 ? lines.count() : wanted.getLast();
        if (first < 1 || last < first || last > lines.count()) {
          throw new ToolException(
              "`view_range` must be within the %d lines of %s, the first before the last, was %s"
                  .formatted(lines.count(), path, wanted));
        }
      }
      return lines.count() == 0
          ? "(%s is empty)".formatted(path)
          : ToolOutput.limited(lines.shown(first, last), maxOutput);
    }

    private String listing() throws InterruptedException {
      ExecResult found =
          sandbox.exec(
              ExecRequest.of(
                      "find", ".", "-mindepth", "1", "-maxdepth", "2", "-not", "-path", "*/.*")
                  .withWorkingDirectory(absolute));
      if (!found.success()) {
        throw new ToolException(
            "cannot list %s: %s".formatted(path, ToolOutput.limited(found.stderr(), maxOutput)));
      }
      String names =
          found
              .stdout()
              .lines()
              .map(name -> name.substring(2))
              .sorted()
              .collect(Collectors.joining("\n"));
      return names.isEmpty()
          ? "(the directory %s is empty)".formatted(path)
          : ToolOutput.limited(
              "In %s, two levels deep, without hidden files:\n%s".formatted(path, names),
              maxOutput);
    }

    String create(String text) throws SandboxFileException, InterruptedException {
      Optional<String> before = readIfThere();
      write(text);
      remember(before);
      return "%s: %s, %d lines."
          .formatted(
              path, before.isPresent() ? "replaced" : "created", NumberedLines.of(text).count());
    }

    String replace(String old, String replacement)
        throws SandboxFileException, InterruptedException {
      if (old.isEmpty()) {
        throw new ToolException("`old_str` must not be empty");
      }
      String content = read();
      List<Integer> places = places(content, old);
      if (places.size() != 1) {
        throw new ToolException(
            places.isEmpty() ? absent(content, old) : ambiguous(content, places));
      }
      int place = places.getFirst();
      String changed =
          content.substring(0, place) + replacement + content.substring(place + old.length());
      write(changed);
      remember(Optional.of(content));
      int first = NumberedLines.lineAt(changed, place);
      return changed(changed, first, NumberedLines.lineAt(changed, place + replacement.length()));
    }

    private String absent(String content, String old) {
      String hint =
          content.contains("\r\n") && old.contains("\n") && !old.contains("\r")
              ? "; its lines end with \\r\\n"
              : "";
      return "`old_str` occurs 0 times in %s, but must occur once%s".formatted(path, hint);
    }

    private String ambiguous(String content, List<Integer> places) {
      String numbers =
          places.stream()
              .limit(MOST_MATCHES_SHOWN)
              .map(place -> Integer.toString(NumberedLines.lineAt(content, place)))
              .collect(Collectors.joining(", "));
      return "`old_str` occurs %d times in %s (lines %s%s), but must occur once: add what is around it"
          .formatted(places.size(), path, numbers, places.size() > MOST_MATCHES_SHOWN ? ", …" : "");
    }

    String insert(int after, String text) throws SandboxFileException, InterruptedException {
      String content = read();
      int count = NumberedLines.of(content).count();
      if (after < 0 || after > count) {
        throw new ToolException(
            "`insert_line` must be from 0 to %d, the last line of %s, was %d"
                .formatted(count, path, after));
      }
      int place = NumberedLines.endOf(content, after);
      String before = content.substring(0, place);
      String behind = content.substring(place);
      boolean isUnended = !before.isEmpty() && !before.endsWith("\n");
      boolean needsEnd = !isUnended && !text.endsWith("\n");
      String changed = before + (isUnended ? "\n" : "") + text + (needsEnd ? "\n" : "") + behind;
      write(changed);
      remember(Optional.of(content));
      return changed(changed, after + 1, after + Math.max(1, NumberedLines.of(text).count()));
    }

    String undo() throws SandboxFileException, InterruptedException {
      EditHistory.Edit edit =
          history()
              .last(absolute)
              .orElseThrow(
                  () -> new ToolException("there is no change of %s to take back".formatted(path)));
      if (edit.before().isPresent()) {
        write(edit.before().get());
      } else {
        remove();
      }
      history().forget(edit);
      return edit.before().isPresent()
          ? "%s: the last change was taken back.".formatted(path)
          : "%s: removed again.".formatted(path);
    }

    private void remove() throws InterruptedException {
      ExecResult removed = sandbox.exec(ExecRequest.of("rm", "-f", "--", absolute));
      if (!removed.success()) {
        throw new ToolException("cannot remove %s: %s".formatted(path, removed.stderr().strip()));
      }
    }

    private String changed(String text, int first, int last) {
      NumberedLines lines = NumberedLines.of(text);
      return ToolOutput.limited(
          "%s was changed:\n%s".formatted(path, lines.around(first, last)), maxOutput);
    }

    private static List<Integer> places(String content, String wanted) {
      List<Integer> places = new ArrayList<>();
      for (int at = content.indexOf(wanted); at >= 0; at = content.indexOf(wanted, at + 1)) {
        places.add(at);
      }
      return places;
    }

    private Optional<String> readIfThere() throws SandboxFileException, InterruptedException {
      try {
        return Optional.of(read());
      } catch (SandboxFileException refused) {
        if (refused.reason() == Reason.NOT_FOUND) {
          return Optional.empty();
        }
        throw refused;
      }
    }

    private String read() throws SandboxFileException, InterruptedException {
      byte[] bytes = sandbox.readFile(path);
      try {
        return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      } catch (CharacterCodingException notText) {
        throw new ToolException("%s is not a text file (UTF-8)".formatted(path), notText);
      }
    }

    private void write(String text) throws SandboxFileException, InterruptedException {
      sandbox.writeFile(path, text.getBytes(StandardCharsets.UTF_8));
    }

    private void remember(Optional<String> before) throws InterruptedException {
      history().add(new EditHistory.Edit(absolute, before));
    }

    /** One for all editors of a sample: they edit the same files. */
    private EditHistory history() throws InterruptedException {
      return context.keep(Lifetime.SAMPLE, EditHistory.class, EditHistory::new);
    }
  }
}
