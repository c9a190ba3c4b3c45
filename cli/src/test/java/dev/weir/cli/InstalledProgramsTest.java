package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The launcher and the real process, in a copy of the source tree as a newcomer has it.
 *
 * <p>Needs Maven, bash, tmux and bubblewrap: runs in the profile {@code installed}.
 */
@Tag("installed")
class InstalledProgramsTest {

  private static final Set<String> NOT_COPIED = Set.of("target", ".git", "logs");

  /** Generous: the first command builds. */
  private static final int SECONDS_PER_COMMAND = 300;

  @TempDir static Path clone;
  @TempDir static Path elsewhere;

  private record Said(int code, String text) {}

  @BeforeAll
  static void cloneAndBuild() throws Exception {
    Path root = Path.of(System.getProperty("weir.root"));
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
              throws IOException {
            if (NOT_COPIED.contains(directory.getFileName().toString())) {
              return FileVisitResult.SKIP_SUBTREE;
            }
            Files.createDirectories(clone.resolve(root.relativize(directory).toString()));
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.copy(file, clone.resolve(root.relativize(file).toString()));
            return FileVisitResult.CONTINUE;
          }
        });
    Said first = sh("'" + clone + "/weir' eval '" + clone + "/examples/capitals.yaml' --limit 5");
    assertThat(first.text()).contains("Building Weir · time", "cli · done", "accuracy");
    assertThat(first.code()).isZero();
  }

  @AfterEach
  void endTerminal() throws Exception {
    sh("tmux -L weir-test kill-server 2>/dev/null");
  }

  /** Runs a line of bash in a directory that is not the clone. */
  private static Said sh(String line) throws Exception {
    Path output = Files.createTempFile(elsewhere, "said", ".txt");
    Process process =
        new ProcessBuilder("bash", "-c", line)
            .directory(elsewhere.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    if (!process.waitFor(SECONDS_PER_COMMAND, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new AssertionError("not done after %d s: %s".formatted(SECONDS_PER_COMMAND, line));
    }
    return new Said(process.exitValue(), Files.readString(output));
  }

  private static String weir() {
    return "'" + clone + "/weir'";
  }

  @Test
  void runsFromAnywhereAndThroughSymbolicLinks() throws Exception {
    Files.createSymbolicLink(elsewhere.resolve("w"), clone.resolve("weir"));
    Said said = sh("./w --version");
    assertThat(said.code()).isZero();
    assertThat(said.text()).isEqualTo("weir 0.1.0-SNAPSHOT (Java 25)\n");
  }

  @Test
  void buildsAgainOnlyWhenSourcesAreNewer() throws Exception {
    assertThat(sh(weir() + " --version").text()).doesNotContain("Building");
    assertThat(sh("touch '" + clone + "/eval/src/test' && " + weir() + " --version").text())
        .doesNotContain("Building");
    Path source = clone.resolve("eval/src/main/java/dev/weir/eval/Evaluation.java");
    assertThat(sh("touch '" + source + "' && " + weir() + " --version").text())
        .contains("Building");
    assertThat(sh(weir() + " --version").text()).doesNotContain("Building");
  }

  @Test
  void aBuildThatFailsSaysWhereAndKeepsTheOldOne() throws Exception {
    Path source = clone.resolve("eval/src/main/java/dev/weir/eval/Broken.java");
    Files.writeString(source, "nonsense");
    Said said = sh(weir() + " --version");
    assertThat(said.code()).isEqualTo(2);
    assertThat(said.text()).contains("Broken.java", "the build failed", "build.log");
    Files.delete(source);
    assertThat(sh(weir() + " --version").text()).contains("weir 0.1.0-SNAPSHOT");
  }

  @Test
  void withoutAJdk25OneSentenceSaysWhatToInstall() throws Exception {
    String hidden = "env -u JAVA_HOME bwrap --dev-bind / / --tmpfs /usr/lib/jvm ";
    Said said = sh(hidden + weir() + " --version");
    assertThat(said.code()).isEqualTo(2);
    assertThat(said.text().lines()).hasSize(1);
    assertThat(said.text()).contains("a JDK 25 is needed", "install one");
  }

  @Test
  void mavenWithoutAJdk25SaysWhatToInstall() throws Exception {
    // Only the older JDKs stay visible, and Maven forgets those it has found before.
    Said said =
        sh(
            "set -e; old=$(ls -d /usr/lib/jvm/*17* | head -n 1); old=$(readlink -f $old);"
                + " env -u JAVA_HOME bwrap --dev-bind / / --tmpfs /usr/lib/jvm"
                + " --ro-bind $old /usr/lib/jvm/only --setenv JAVA_HOME /usr/lib/jvm/only"
                + " --setenv HOME '"
                + elsewhere
                + "' mvn -B -o -q -N -Dmaven.repo.local=$HOME/.m2/repository validate -f '"
                + clone
                + "/pom.xml'");
    assertThat(said.code()).isNotZero();
    assertThat(said.text()).contains("Weir needs a JDK 25 and none was found: install one");
    assertThat(said.text()).doesNotContain("\tat ");
  }

  @Test
  void theLiveLineMovesOnATerminal() throws Exception {
    sh("tmux -L weir-test new-session -d -x 80 -y 24");
    sh(
        "tmux -L weir-test send-keys \"cd '%s' && clear && %s eval '%s' -M latency=2s; echo ended \\$?\" Enter"
            .formatted(elsewhere, weir(), clone.resolve("examples/capitals.yaml")));
    String running = screenWith("10/10 in flight");
    assertThat(running).containsPattern("[█░]{20} \\d+/50 · 10/10 in flight · 0 retries · 00:0\\d");
    String ended = screenWith("ended ");
    assertThat(ended).contains("ended 0", "accuracy", "Result: ").doesNotContain("in flight");
  }

  @Test
  void anInterruptEndsTheRunCleanly() throws Exception {
    sh("tmux -L weir-test new-session -d -x 100 -y 24");
    sh(
        "tmux -L weir-test send-keys \"cd '%s' && clear && %s eval '%s' -M latency=5s --log-dir interrupted; echo ended \\$?\" Enter"
            .formatted(elsewhere, weir(), clone.resolve("examples/capitals.yaml")));
    screenWith("10/10 in flight");
    sh("tmux -L weir-test send-keys C-c");
    assertThat(screenWith("ended ")).contains("ended 130", "Interrupted: ");
    try (var files = Files.list(elsewhere.resolve("interrupted"))) {
      assertThat(files.toList())
          .singleElement()
          .satisfies(file -> assertThat(file).content().contains("\"status\" : \"cancelled\""));
    }
  }

  /**
   * What the terminal shows once it shows the text; the test's own command echoes with a {@code $}.
   */
  private static String screenWith(String text) throws Exception {
    for (int i = 0; i < 300; i++) {
      Said screen = sh("sleep 0.1; tmux -L weir-test capture-pane -p");
      String shown = screen.text().lines().filter(line -> !line.contains("$?")).toList().toString();
      if (shown.contains(text)) {
        return screen.text();
      }
    }
    throw new AssertionError("the terminal never showed: " + text);
  }

  @Test
  void completionWorksInBash() throws Exception {
    Said said =
        sh(
            "set -e; compopt() { :; }; source <(%s completion); complete -p weir;".formatted(weir())
                + " COMP_WORDS=(weir eval --max); COMP_CWORD=2; _complete_weir; echo"
                + " \"${COMPREPLY[@]}\"");
    assertThat(said.code()).as(said.text()).isZero();
    assertThat(said.text())
        .contains("complete -o default -F _complete_weir weir", "--max-connections");
  }

  @Test
  void runsAsAPlainJar() throws Exception {
    String java = ProcessHandle.current().info().command().orElse("java");
    Said said = sh("'%s' -jar '%s'/cli/target/weir-cli-*.jar --version".formatted(java, clone));
    assertThat(said.text()).isEqualTo("weir 0.1.0-SNAPSHOT (Java 25)\n");
  }

  @Test
  void benchmarksAreBuiltWhenAskedFor() throws Exception {
    Said said = sh(weir() + " bench");
    assertThat(said.code()).as(said.text()).isZero();
    assertThat(said.text()).contains("time ", "one simulated hour");
  }

  @Test
  void aLockWhoseOwnerDiedIsTakenOver() throws Exception {
    Path lock = clone.resolve("target/weir/lock");
    Files.createDirectory(lock);
    Files.writeString(lock.resolve("pid"), "99999999\n");
    Path source = clone.resolve("eval/src/main/java/dev/weir/eval/Evaluation.java");
    // Its owner is dead, so the lock is taken over.
    Said said = sh("touch '" + source + "' && " + weir() + " --version");
    assertThat(said.text()).contains("Building Weir", "weir 0.1.0-SNAPSHOT");
    assertThat(lock).doesNotExist();
  }
}
