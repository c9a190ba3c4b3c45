package dev.weir.eval.promptfoo;

import dev.weir.eval.sample.SampleContext;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** Parts that say nothing. */
final class TestCases {

  private static final Place PLACE = Place.of(Path.of("test.yaml"));

  static final TestCase EMPTY =
      new TestCase(
          1,
          Optional.empty(),
          Map.of(),
          List.of(),
          List.of(),
          OptionalDouble.empty(),
          Optional.empty(),
          List.of(),
          List.of(),
          Map.of(),
          new TestOptions(
              Optional.empty(),
              Optional.empty(),
              "",
              "",
              Optional.empty(),
              Optional.empty(),
              Map.of()),
          "",
          PLACE);

  static final Target TARGET =
      new Target(
          "echo",
          "echo",
          "mock/echo",
          Map.of(),
          Optional.empty(),
          Map.of(),
          OptionalLong.empty(),
          OfferedTools.NONE,
          false,
          List.of(),
          Optional.empty(),
          PLACE);

  /** For checks that need none. */
  static final SampleContext NO_CONTEXT =
      (SampleContext)
          Proxy.newProxyInstance(
              TestCases.class.getClassLoader(),
              new Class<?>[] {SampleContext.class},
              (_, method, _) -> {
                throw new UnsupportedOperationException(method.getName());
              });

  private TestCases() {}
}
