package dev.weir.junit;

import static java.util.Objects.requireNonNull;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs test classes by the platform that Maven and editors run tests with. */
final class Launched {

  private Launched() {}

  /** What became of the tests of a class, and of containers that failed, by display name. */
  static Map<String, TestExecutionResult> run(Class<?> testClass) {
    Map<String, TestExecutionResult> results = new LinkedHashMap<>();
    LauncherFactory.create()
        .execute(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(DiscoverySelectors.selectClass(testClass))
                .build(),
            new TestExecutionListener() {
              @Override
              public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                if (test.isTest() || result.getStatus() != Status.SUCCESSFUL) {
                  results.put(test.getDisplayName(), result);
                }
              }
            });
    return results;
  }

  static TestExecutionResult result(Map<String, TestExecutionResult> results, String test) {
    return requireNonNull(results.get(test), () -> "no test " + test + " among " + results);
  }

  static Throwable thrown(TestExecutionResult result) {
    return result.getThrowable().orElseThrow();
  }
}
