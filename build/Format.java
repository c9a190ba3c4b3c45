import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Runs google-java-format over every source file of the tree: {@code check|write ROOT}. */
final class Format {
  private static final Set<String> PASSED_OVER =
      Set.of("target", ".weir", ".git", "logs", "node_modules");

  public static void main(String[] args) throws Exception {
    List<String> command = new ArrayList<>();
    if (args[0].equals("check")) {
      command.addAll(List.of("--dry-run", "--set-exit-if-changed"));
    } else if (args[0].equals("write")) {
      command.add("--replace");
    } else {
      System.err.println("weir.format must be check or write, was " + args[0]);
      System.exit(2);
    }
    command.addAll(sources(Path.of(args[1])));
    // The formatter's own main would exit without a word about the remedy.
    int status =
        new com.google.googlejavaformat.java.Main(
                new java.io.PrintWriter(System.out, true),
                new java.io.PrintWriter(System.err, true),
                System.in)
            .format(command.toArray(String[]::new));
    if (status != 0 && args[0].equals("check")) {
      System.err.println(
          "The files above are not formatted. Run: mvn -N validate -Dweir.format=write");
    }
    System.exit(status);
  }

  private static List<String> sources(Path root) throws IOException {
    List<String> found = new ArrayList<>();
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes attributes) {
            return PASSED_OVER.contains(dir.getFileName().toString())
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (file.toString().endsWith(".java")) {
              found.add(file.toString());
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return found;
  }
}
