package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.weir.model.ModelName;
import dev.weir.model.spi.Providers;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every test of the suite fails when the promise that it is about is broken. */
class ProviderContractCanFailTest {

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void aBrokenPromiseIsNoticed(Sabotage sabotage) throws Exception {
    Throwable noticed = catchThrowable(() -> run(sabotage));
    assertThat(noticed).as("%s is noticed by %s", sabotage, sabotage.test()).isNotNull();
    if (sabotage != Sabotage.THROWS) {
      assertThat(noticed).isInstanceOf(AssertionError.class);
    }
  }

  @Test
  void noTestIsWithoutABrokenPromise() {
    Set<String> tests =
        Stream.of(ProviderContract.class.getDeclaredMethods())
            .filter(method -> method.isAnnotationPresent(Test.class))
            .map(Method::getName)
            .collect(Collectors.toSet());
    Set<String> broken =
        Stream.of(Sabotage.values())
            .filter(sabotage -> sabotage != Sabotage.NONE)
            .map(Sabotage::test)
            .collect(Collectors.toSet());
    assertThat(broken).isEqualTo(tests);
  }

  @Test
  void aProviderOfSomebodyElseIsFoundOnTheClassPath() {
    assertThat(Providers.all()).containsKey("fake");
    assertThat(Providers.find(ModelName.parse("fake/model"))).isInstanceOf(FakeProvider.class);
  }

  private static void run(Sabotage sabotage) throws Throwable {
    Method test =
        Stream.of(ProviderContract.class.getDeclaredMethods())
            .filter(method -> method.getName().equals(sabotage.test()))
            .findFirst()
            .orElseThrow();
    var suite = new FakeContract(sabotage);
    TestReporter reporter = (Map<String, String> _) -> {};
    try {
      if (test.getParameterCount() == 0) {
        test.invoke(suite);
      } else {
        test.invoke(suite, reporter);
      }
    } catch (InvocationTargetException failed) {
      throw failed.getCause();
    }
  }
}
