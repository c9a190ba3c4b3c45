package dev.weir.eval.source;

import dev.weir.eval.dataset.InputFile;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Printable;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/** A Java file, compiled in memory against the class path of Weir itself. */
final class JavaFile {

  /** Programs that load more files than this compile some of them again. */
  private static final int MOST_KEPT = 64;

  /** More than this of one file are seldom read. */
  private static final int MOST_ERRORS_TOLD = 3;

  private static final Map<Content, CompiledClasses> COMPILED =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Content, CompiledClasses> eldest) {
          return size() > MOST_KEPT;
        }
      };

  /** The file's name is part of what is compiled: a public class must have it. */
  private record Content(String fileName, String source) {}

  private JavaFile() {}

  /**
   * The classes of the file; those of a file that has not changed are the same.
   *
   * @throws ConfigurationException if it cannot be read or compiled, with line and column
   */
  static CompiledClasses compile(Path file) {
    return compile(file, ToolProvider.getSystemJavaCompiler());
  }

  static CompiledClasses compile(Path file, @Nullable JavaCompiler compiler) {
    String source = read(file);
    if (compiler == null) {
      throw new ConfigurationException(
          ("%s must be compiled, and this Java (%s) has no compiler; run Weir with a JDK, or"
                  + " compile the file and name the jar")
              .formatted(file, System.getProperty("java.home")));
    }
    var content = new Content(String.valueOf(file.getFileName()), source);
    synchronized (COMPILED) {
      CompiledClasses kept = COMPILED.get(content);
      if (kept == null) {
        kept = new CompiledClasses(compile(file, source, compiler));
        COMPILED.put(content, kept);
      }
      return kept;
    }
  }

  private static String read(Path file) {
    InputFile.requireFile(file, "a task");
    try {
      return Files.readString(file);
    } catch (IOException unreadable) {
      throw InputFile.unreadable(file, unreadable);
    }
  }

  private static Map<String, byte[]> compile(Path file, String source, JavaCompiler compiler) {
    var problems = new DiagnosticCollector<JavaFileObject>();
    try (var memory =
        new Memory(
            compiler.getStandardFileManager(problems, Locale.ROOT, StandardCharsets.UTF_8))) {
      List<String> options =
          List.of(
              // Nothing but this file is compiled, and nothing runs before the user asks for it.
              "-proc:none",
              "-implicit:none",
              "-sourcepath",
              "",
              "-classpath",
              System.getProperty("java.class.path", ""),
              "-parameters",
              "-nowarn",
              "-Xlint:none");
      boolean compiled =
          compiler
              .getTask(null, memory, problems, options, null, List.of(new Source(file, source)))
              .call();
      if (!compiled) {
        throw new ConfigurationException("%s, %s".formatted(file, told(problems.getDiagnostics())));
      }
      return memory.classes();
    } catch (IOException unreadable) {
      throw InputFile.unreadable(file, unreadable);
    }
  }

  private static String told(List<Diagnostic<? extends JavaFileObject>> problems) {
    List<String> errors =
        problems.stream()
            .filter(problem -> problem.getKind() == Diagnostic.Kind.ERROR)
            .sorted(Comparator.comparingLong(Diagnostic::getPosition))
            .map(JavaFile::told)
            .toList();
    String first = errors.stream().limit(MOST_ERRORS_TOLD).collect(Collectors.joining("; "));
    int more = errors.size() - MOST_ERRORS_TOLD;
    return more > 0 ? "%s; and %d more".formatted(first, more) : first;
  }

  private static String told(Diagnostic<?> problem) {
    String message =
        problem
            .getMessage(Locale.ROOT)
            .lines()
            .map(line -> line.strip().replaceAll(" +", " "))
            .collect(Collectors.joining(", "));
    return problem.getLineNumber() == Diagnostic.NOPOS
        ? Printable.line(message)
        : "line %d, column %d: %s"
            .formatted(problem.getLineNumber(), problem.getColumnNumber(), Printable.line(message));
  }

  /** The file as it was read, so that what is compiled is what is kept. */
  private static final class Source extends SimpleJavaFileObject {

    private final String source;

    Source(Path file, String source) {
      super(file.toUri(), Kind.SOURCE);
      this.source = source;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return source;
    }
  }

  /** Takes class files instead of a directory. */
  private static final class Memory extends ForwardingJavaFileManager<JavaFileManager> {

    private final Map<String, ByteArrayOutputStream> written = new LinkedHashMap<>();

    Memory(JavaFileManager classPath) {
      super(classPath);
    }

    @Override
    public JavaFileObject getJavaFileForOutput(
        Location location, String className, JavaFileObject.Kind kind, FileObject sibling) {
      var bytes = new ByteArrayOutputStream();
      written.put(className, bytes);
      URI name = URI.create("memory:///" + className.replace('.', '/') + kind.extension);
      return new SimpleJavaFileObject(name, kind) {
        @Override
        public OutputStream openOutputStream() {
          return bytes;
        }
      };
    }

    Map<String, byte[]> classes() {
      Map<String, byte[]> classes = new LinkedHashMap<>();
      written.forEach((name, bytes) -> classes.put(name, bytes.toByteArray()));
      return classes;
    }
  }
}
