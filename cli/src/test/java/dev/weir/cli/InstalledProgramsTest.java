package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.log.RunLogReader;
import dev.weir.log.RunResult;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
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

  private static final Set<String> NOT_COPIED = Set.of("target", ".weir", ".git", "logs");

  /** Generous: the first command builds. */
  private static final int SECONDS_PER_COMMAND = 300;

  @TempDir static Path place;
  @TempDir static Path elsewhere;

  /** Named as a directory that is of no interest within the tree. */
  private static Path clone;

  private record Said(int code, String text) {}

  @BeforeAll
  static void cloneAndBuild() throws Exception {
    Path root = root();
    clone = place.resolve("test");
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

  private static Path root() {
    return Path.of(System.getProperty("weir.root"));
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

  private static String source() {
    return "'" + clone.resolve("eval/src/main/java/dev/weir/eval/Evaluation.java") + "'";
  }

  /** The directories of builds, finished or not. */
  private static List<String> builds() throws IOException {
    try (var files = Files.list(clone.resolve(".weir"))) {
      return files
          .filter(Files::isDirectory)
          .map(f -> f.getFileName().toString())
          .sorted()
          .toList();
    }
  }

  /** A program for the front of the PATH, in a directory of its own, which is returned. */
  private static Path program(String name, String script) throws IOException {
    Path directory = Files.createTempDirectory(elsewhere, name);
    Path file = Files.writeString(directory.resolve(name), "#!/bin/sh\n" + script + "\n");
    assertThat(file.toFile().setExecutable(true)).isTrue();
    return directory;
  }

  /** Where the jars of the first build will do and Maven would only take time. */
  private static String withoutMaven() throws IOException {
    return "PATH='" + program("mvn", "echo BUILD SUCCESS") + "':$PATH ";
  }

  @Test
  void runsFromAnywhereAndThroughSymbolicLinks() throws Exception {
    Files.createSymbolicLink(elsewhere.resolve("w"), clone.resolve("weir"));
    Path above = place.getFileName();
    for (String start :
        List.of(
            "./w",
            "sh w",
            "bash w",
            "PATH=.:$PATH w",
            "cd '" + place + "' && CDPATH=/tmp:. test/weir",
            "cd '" + place.resolve("..") + "' && CDPATH='" + place + "' " + above + "/test/weir")) {
      Said said = sh(start + " --version");
      assertThat(said.text()).as(start).isEqualTo("weir 0.1.0-SNAPSHOT (Java 25)\n");
      assertThat(said.code()).as(start).isZero();
    }
  }

  @Test
  void opensAFileWithAnAccentInTheLocaleC() throws Exception {
    Said said =
        sh(
            "d=$'caf\\xc3\\xa9'; mkdir $d; cp '%s'/examples/* $d;".formatted(clone)
                + " LC_ALL=C %s eval $d/capitals.yaml --limit 1; code=$?; rm -r $d; exit $code"
                    .formatted(weir()));
    assertThat(said.code()).as(said.text()).isZero();
  }

  @Test
  void javaOptionsMayChooseTheCollector() throws Exception {
    for (String option : List.of("-XX:+UseZGC", "-XX:+UseParallelGC", "-XX:-UseCompressedOops")) {
      Said version = sh("WEIR_JAVA_OPTS=" + option + " " + weir() + " --version");
      assertThat(version.text()).as(option).isEqualTo("weir 0.1.0-SNAPSHOT (Java 25)\n");
      Said eval =
          sh(
              "WEIR_JAVA_OPTS=%s %s eval '%s/examples/capitals.yaml' --limit 1"
                  .formatted(option, weir(), clone));
      assertThat(eval.text()).as(option).contains("accuracy").doesNotContain("[error]", "AOT");
    }
  }

  @Test
  void buildsAgainOnlyWhenSourcesAreNewer() throws Exception {
    assertThat(sh(weir() + " --version").text()).doesNotContain("Building");
    assertThat(sh("touch '" + clone + "/eval/src/test' && " + weir() + " --version").text())
        .doesNotContain("Building");
    assertThat(sh("touch " + source() + " && " + weir() + " --version").text())
        .contains("Building");
    assertThat(sh(weir() + " --version").text()).doesNotContain("Building");
    // The build is not among the things that Maven makes and removes.
    assertThat(sh("mvn -B -q -N -f '" + clone + "/pom.xml' clean").code()).isZero();
    assertThat(sh(weir() + " --version").text()).doesNotContain("Building");
  }

  @Test
  void aBuildThatFailsSaysWhereAndKeepsTheOldOne() throws Exception {
    Path source = clone.resolve("eval/src/main/java/dev/weir/eval/Broken.java");
    Files.writeString(source, "nonsense");
    List<String> before = builds();
    Said said = sh(weir() + " --version");
    assertThat(said.code()).isEqualTo(2);
    assertThat(said.text()).contains("Broken.java", "the build failed", "build.log");
    assertThat(builds()).isEqualTo(before);
    Files.delete(source);
    assertThat(sh(weir() + " --version").text()).contains("weir 0.1.0-SNAPSHOT");
  }

  @Test
  void withoutAJdk25OneSentenceSaysWhatToInstall() throws Exception {
    StringBuilder hidden = new StringBuilder("env -u JAVA_HOME bwrap --dev-bind / /");
    for (String jdks :
        List.of(System.getProperty("java.home"), "/usr/lib/jvm", "/usr/local/lib/jvm", "/opt")) {
      if (Files.isDirectory(Path.of(jdks))) {
        hidden.append(" --tmpfs '").append(jdks).append("'");
      }
    }
    hidden.append(" --setenv HOME '").append(elsewhere).append("' ");
    Said said = sh(hidden + weir() + " --version");
    assertThat(said.code()).isEqualTo(2);
    assertThat(said.text().lines()).hasSize(1);
    assertThat(said.text()).contains("a JDK 25 is needed", "install one");
  }

  @Test
  void mavenWithoutAJdk25SaysWhatToInstall() throws Exception {
    // The JDKs of this machine are hidden by asking for one that does not exist yet: Maven needs
    // some JDK to run on, and a 25 may be the only one.
    Path pom = Files.createTempDirectory(elsewhere, "future").resolve("pom.xml");
    String future = Files.readString(clone.resolve("pom.xml")).replace("[25,26)", "[99,100)");
    assertThat(future).contains("<version>[99,100)</version>");
    Files.writeString(pom, future);
    Said said = sh("mvn -B -q -N validate -f '" + pom + "'");
    assertThat(said.code()).isNotZero();
    assertThat(said.text()).contains("Weir needs a JDK 25 and none was found: install one");
    assertThat(said.text()).doesNotContain("\tat ");
  }

  @Test
  void jarsDoNotDependOnTheJavaThatRunsMaven() throws Exception {
    // Once on the Java that Maven finds by itself, which may be older, with a JDK 25 as toolchain;
    // once on the JDK 25.
    byte[] older = jarOfTime("env -u JAVA_HOME", "-Dtoolchain.jdk.mode=Never");
    byte[] newer = jarOfTime("env JAVA_HOME='" + System.getProperty("java.home") + "'", "");
    assertThat(newer).isEqualTo(older);
  }

  private static byte[] jarOfTime(String environment, String option) throws Exception {
    Path target = clone.resolve("time/target");
    Said said =
        sh(
            "rm -rf '%s'; %s mvn -B -q -f '%s/pom.xml' -pl time -Dweir.quick -Dmaven.test.skip %s package"
                .formatted(target, environment, clone, option));
    assertThat(said.code()).as(said.text()).isZero();
    return Files.readAllBytes(target.resolve("weir-time-0.1.0-SNAPSHOT.jar"));
  }

  @Test
  void theLiveLineMovesOnATerminal() throws Exception {
    sh("tmux -L weir-test new-session -d -x 110 -y 24");
    sh(
        "tmux -L weir-test send-keys \"cd '%s' && clear && %s eval '%s' -M latency=2s --max-connections 10; echo ended \\$?\" Enter"
            .formatted(elsewhere, weir(), clone.resolve("examples/capitals.yaml")));
    String running = screenWith(" 10/10 ");
    assertThat(running)
        .containsPattern("capitals +sim/demo +[█░]{20} +\\d+/50 ")
        .containsPattern("sim/demo +10/10 +0 ")
        .containsPattern("00:0\\d · calling sim/demo");
    String ended = screenWith("ended ");
    // The bar is of the live table alone; what limited the run may well be "calls in flight".
    assertThat(ended).contains("ended 0", "accuracy", "Log: ").doesNotContain("█", "░");
  }

  @Test
  void anInterruptEndsTheRunCleanly() throws Exception {
    sh("tmux -L weir-test new-session -d -x 100 -y 24");
    sh(
        "tmux -L weir-test send-keys \"cd '%s' && clear && %s eval '%s' -M latency=5s --max-connections 10 --log-dir interrupted; echo ended \\$?\" Enter"
            .formatted(elsewhere, weir(), clone.resolve("examples/capitals.yaml")));
    screenWith(" 10/10 ");
    sh("tmux -L weir-test send-keys C-c");
    assertThat(screenWith("ended ")).contains("ended 130", "Interrupted: ");
    try (var files = Files.list(elsewhere.resolve("interrupted"));
        var log = RunLogReader.open(files.findFirst().orElseThrow())) {
      assertThat(log.end().orElseThrow().status()).isEqualTo(RunResult.Status.CANCELLED);
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
    assertThat(said.text()).contains("benchmarks · done", "time ", "one simulated hour");
    assertThat(sh(weir() + " bench").text()).doesNotContain("Building");
    // What the benchmarks measure has changed, and their own jar has not.
    assertThat(sh("touch " + source() + "; " + weir() + " bench").text())
        .contains("benchmarks · done");
    assertThat(sh(weir() + " bench").text()).doesNotContain("Building");
  }

  @Test
  void aLockWhoseOwnerDiedIsTakenOverByOne() throws Exception {
    Path lock = clone.resolve(".weir/lock");
    for (String owner : List.of("99999999\n", "")) {
      Files.writeString(lock, owner);
      Said said =
          sh(
              "touch %s; %s; for i in 1 2 3 4; do %s --version & done; wait"
                  .formatted(source(), "export " + withoutMaven(), weir()));
      assertThat(said.text().lines().filter(line -> line.contains("Building Weir"))).hasSize(1);
      assertThat(said.text().lines().filter(line -> line.contains("weir 0.1.0"))).hasSize(4);
      assertThat(lock).doesNotExist();
    }
    try (var files = Files.list(clone.resolve(".weir"))) {
      assertThat(files.filter(file -> file.getFileName().toString().startsWith("lock"))).isEmpty();
    }
  }

  @Test
  void waitsForAnotherBuildButNotForEver() throws Exception {
    Path lock = clone.resolve(".weir/lock");
    // Alive, but no build: such a number may have belonged to one.
    Files.writeString(lock, ProcessHandle.current().pid() + "\n");
    Path seconds = elsewhere.resolve("seconds");
    Path clock = program("sleep", "echo $1 >> '" + seconds + "'");
    Said said = sh("touch " + source() + "; PATH='" + clock + "':$PATH " + weir() + " --version");
    assertThat(said.code()).isEqualTo(2);
    assertThat(said.text().lines()).hasSize(2);
    assertThat(said.text()).contains("Another build is running", "10 minutes", "delete");
    assertThat(seconds).content().isEqualTo("1\n".repeat(600));
    assertThat(lock).exists();
    Files.delete(lock);
    assertThat(sh(withoutMaven() + weir() + " --version").code()).isZero();
  }

  @Test
  void whatCannotBeWrittenStillRuns() throws Exception {
    String readOnly = "bwrap --dev-bind / / --ro-bind '%1$s' '%1$s' ";
    Said older = sh("touch " + source() + "; " + readOnly.formatted(clone) + weir() + " --version");
    assertThat(older.code()).as(older.text()).isZero();
    assertThat(older.text().lines()).hasSize(2);
    assertThat(older.text()).contains("older build", "not writable", "weir 0.1.0-SNAPSHOT");
    assertThat(sh(withoutMaven() + weir() + " --version").code()).isZero();

    Path bare = Files.createTempDirectory(elsewhere, "bare");
    Files.copy(clone.resolve("weir"), bare.resolve("weir"), StandardCopyOption.COPY_ATTRIBUTES);
    Files.copy(clone.resolve("pom.xml"), bare.resolve("pom.xml"));
    Said never = sh(readOnly.formatted(bare) + bare + "/weir --version");
    assertThat(never.code()).isEqualTo(2);
    assertThat(never.text().lines()).hasSize(1);
    assertThat(never.text()).contains("not built yet", bare + " is not writable");
  }

  @Test
  void oldBuildsAreRemovedUnlessARunUsesThem() throws Exception {
    Path weir = clone.resolve(".weir");
    List<String> newest = List.of("29990101-000002-1", "29990101-000001-1");
    String used = "20000101-000003-1";
    String unused = "20000101-000002-1";
    String unfinished = "20000101-000001-1";
    for (String name : List.of(newest.get(0), newest.get(1), used, unused, unfinished)) {
      Files.createDirectory(weir.resolve(name));
      if (!name.equals(unfinished)) {
        Files.createFile(weir.resolve(name).resolve("complete"));
      }
    }
    Path run = weir.resolve(used).resolve("run." + ProcessHandle.current().pid());
    Files.createFile(run);
    Files.createFile(weir.resolve(unused).resolve("run.99999999"));
    String build = "touch " + source() + "; " + withoutMaven() + weir() + " --version";
    assertThat(sh(build).code()).isZero();
    String built = Files.readString(weir.resolve("current")).strip();
    assertThat(builds()).containsOnly(newest.get(0), newest.get(1), built, used);
    Files.delete(run);
    assertThat(sh(build).code()).isZero();
    assertThat(builds()).hasSize(3).doesNotContain(used, built);
    for (String name : newest) {
      sh("rm -r '" + weir.resolve(name) + "'");
    }
  }

  @Test
  void theChecksForLandingCountEachTestOnce() throws Exception {
    Path tree = Files.createTempDirectory(elsewhere, "landing");
    Files.createDirectories(tree.resolve("module/target"));
    Files.createDirectory(tree.resolve(".ci"));
    Path run = tree.resolve(".ci/run");
    Files.copy(root().resolve(".ci/run"), run, StandardCopyOption.COPY_ATTRIBUTES);
    Path check = Files.createDirectory(tree.resolve("ops")).resolve("check.sh");
    Files.writeString(check, "#!/bin/sh\nexit ${CHECKED:-0}\n");
    check.toFile().setExecutable(true);
    Path maven =
        program(
            "mvn",
            """
            mkdir -p module/target/surefire-reports
            echo "<testsuite tests='10' errors='0' failures='${FAILED:-0}' skipped='${SKIPPED:-0}'/>" \
              > module/target/surefire-reports/TEST-${2:-all}.xml
            [ ${FAILED:-0} = 0 ]\
            """);
    String line =
        "PATH='%s':'%s':'%s':$PATH '%s'"
            .formatted(maven, program("apt-get", ""), program("sudo", ""), run);
    for (int i = 0; i < 2; i++) {
      Said said = sh(line);
      assertThat(said.text()).endsWith("30 passed, 0 failed, 0 skipped\n");
      assertThat(said.code()).isZero();
    }
    Said skipped = sh("SKIPPED=1 " + line);
    assertThat(skipped.text()).endsWith("27 passed, 0 failed, 3 skipped\n");
    assertThat(skipped.code()).isEqualTo(1);
    Said failed = sh("FAILED=2 " + line);
    assertThat(failed.text()).endsWith("8 passed, 2 failed, 0 skipped\n");
    assertThat(failed.code()).isEqualTo(1);
    assertThat(sh("CHECKED=1 " + line).code()).isEqualTo(1);
  }
}
