package dev.weir.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Every rule holds for the product. */
class ArchitectureTest {

  private static final JavaClasses PRODUCT =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          // What JMH generates around benchmarks reads the clock, and is nobody's to change.
          .withImportOption(location -> !location.contains("/jmh_generated/"))
          .importPackages("dev.weir");

  @TestFactory
  Stream<DynamicTest> theProductKeepsTheRules() {
    return new Rules("dev.weir")
        .all().entrySet().stream()
            .map(
                rule ->
                    DynamicTest.dynamicTest(rule.getKey(), () -> rule.getValue().check(PRODUCT)));
  }

  @Test
  void everyRuleSaysWhy() {
    for (ArchRule rule : new Rules("dev.weir").all().values()) {
      assertThat(rule.getDescription()).contains("because");
    }
  }

  /** A module that the rules do not see would keep them all. */
  @Test
  void everyModuleOfTheBuildIsSeen() throws IOException {
    Path root = Path.of(System.getProperty("weir.root"));
    List<String> modules;
    try (Stream<Path> directories = Files.list(root)) {
      modules =
          directories
              .filter(directory -> Files.isDirectory(directory.resolve("src/main/java/dev/weir")))
              // Built with its profile alone, and without a product.
              .filter(directory -> !directory.endsWith("browser-tests"))
              .map(
                  directory ->
                      directory.getFileName().toString().replaceFirst("^datasets-|-tests$", ""))
              .toList();
    }
    assertThat(modules).contains("time", "limits", "model", "simulator", "log", "eval", "cli");
    for (String module : modules) {
      assertThat(PRODUCT.stream().map(type -> type.getPackageName() + "."))
          .as("classes of %s", module)
          .anyMatch(name -> name.startsWith("dev.weir." + module + "."));
    }
  }
}
