package dev.weir.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.EvaluationResult;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Every rule fails on its fixture. The fixtures are small classes in packages named like modules,
 * below {@code dev.weir.architecture.fixture}.
 */
class RulesCanFailTest {

  private static final String ROOT = "dev.weir.architecture.fixture";
  private static final JavaClasses FIXTURES = new ClassFileImporter().importPackages(ROOT);
  private static final Map<String, ArchRule> RULES = new Rules(ROOT).all();

  /** For each rule, what must appear among its violations. */
  private static final Map<String, List<String>> EXPECTED =
      Map.ofEntries(
          Map.entry("modules depend downwards", List.of("LooksUp", "LooksSideways")),
          Map.entry("every module is in the table", List.of("unmarked.NotMarked")),
          Map.entry("packages of eval use those before them", List.of("LooksBack.runner")),
          Map.entry(
              "nothing depends on benchmarks, architecture tests and examples",
              List.of("UsesBenchmark")),
          Map.entry(
              "no package cycles", List.of("fixture.eval.dataset -> ", "fixture.eval.run -> ")),
          Map.entry(
              "clock, waiting and chance only in time",
              List.of(
                  ".startsThread(",
                  ".buildsVirtualThread(",
                  ".startsVirtualThread(",
                  ".joinsThread(",
                  ".sleeps(",
                  ".sleepsByUnit(",
                  ".parks(",
                  ".waitsOnMonitor(",
                  ".notifiesMonitor(",
                  ".usesCondition(",
                  ".usesSemaphore(",
                  ".usesBlockingQueue(",
                  ".usesLatch(",
                  ".getsFuture(",
                  ".usesExecutor(",
                  ".usesCompletableFuture(",
                  ".usesTimer(",
                  ".usesParallelStream(",
                  ".readsNanoTime(",
                  ".readsMillis(",
                  ".readsInstant(",
                  ".readsLocalDate(",
                  ".readsClock(",
                  ".makesDate(",
                  ".drawsMathRandom(",
                  ".makesUnseededRandom(",
                  ".makesUnseededSplittable(",
                  ".usesThreadLocalRandom(",
                  ".usesSecureRandom(",
                  ".usesDefaultGenerator(",
                  ".shufflesUnseeded(",
                  ".makesUuid(",
                  ".waitsForProcess(",
                  ".locks(",
                  ".locksForAWhile(",
                  ".removesReference(",
                  ".sortsInParallel(",
                  ".walksMapInParallel(",
                  ".makesParallelStream(",
                  ".readsChronology(",
                  ".makesTemporaryFile(",
                  ".makesUnseededByFactory(",
                  ".byMethodReference(")),
          Map.entry(
              "standard streams and exit only in cli",
              List.of(
                  ".prints(",
                  ".reads(",
                  ".complains(",
                  ".exits(",
                  ".halts(",
                  ".printsTrace(",
                  ".dumpsStack(",
                  ".inherits(",
                  ".opensDescriptor(",
                  "run.Talkative.endsProcess(",
                  "custom.StillTalkative.prints(")),
          Map.entry(
              "no JSON library in public signatures",
              List.of("ShowsJson shows tools.jackson.databind.JsonNode", "ShowsJson$Nested")),
          Map.entry("limits and time need only java.base", List.of("UsesLogging")),
          Map.entry("provider packages do not see each other", List.of("UsesOtherProvider")),
          Map.entry("JDBC only in cluster and parquet", List.of("UsesJdbc")),
          Map.entry("every package is null-marked", List.of("NotMarked")));

  @TestFactory
  Stream<DynamicTest> eachRuleFailsOnItsFixture() {
    return RULES.entrySet().stream()
        .map(
            rule ->
                DynamicTest.dynamicTest(
                    rule.getKey(),
                    () -> {
                      EvaluationResult result = rule.getValue().evaluate(FIXTURES);
                      String violations = String.join("\n", result.getFailureReport().getDetails());
                      for (String expected :
                          Objects.requireNonNull(EXPECTED.get(rule.getKey()), rule.getKey())) {
                        assertThat(violations).contains(expected);
                      }
                    }));
  }

  @Test
  void innocentCodeIsNotAccused() {
    for (Map.Entry<String, ArchRule> rule : RULES.entrySet()) {
      List<String> violations = rule.getValue().evaluate(FIXTURES).getFailureReport().getDetails();
      assertThat(violations)
          .as(rule.getKey())
          .noneMatch(violation -> violation.contains("Innocent"));
    }
  }
}
