package dev.weir.eval.option;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.dataset.Sample;
import dev.weir.eval.scorer.Scorers;
import dev.weir.eval.solver.Solvers;
import dev.weir.eval.task.TaskDefinition;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every option of a run is a method of its name. */
class OptionMethodsTest {

  /** A text that those take which take not just any. */
  private static final Map<String, String> TEXTS =
      Map.ofEntries(
          entry("model", "sim/demo"),
          entry("modelBaseUrl", "http://127.0.0.1:9/v1"),
          entry("cache", "12h"),
          entry("tokenLimit", "output:500k"),
          entry("concurrencyMode", "pace"),
          entry("adaptiveConnections", "4-80"),
          entry("attemptTimeout", "auto"),
          entry("maxPoisonedAttempts", "off"),
          entry("reasoningEffort", "low"),
          entry("responseSchema", "{\"type\":\"object\"}"),
          entry("extraBody", "{\"user\":\"me\"}"),
          entry("logBuffer", "8MB"),
          entry("maxOutage", "off"),
          entry("logLevel", "info"));

  private static Stream<Method> methods() {
    return Stream.of(OptionMethods.class.getMethods())
        .filter(method -> !method.getName().equals("option"))
        .sorted(Comparator.comparing(Method::toString));
  }

  /** {@code maxConnections} for {@code max-connections}. */
  private static String methodOf(Option option) {
    return Pattern.compile("-(.)")
        .matcher(option.name())
        .replaceAll(letter -> letter.group(1).toUpperCase(java.util.Locale.ROOT));
  }

  private static Object value(Method method, Class<?> type) {
    String text = TEXTS.getOrDefault(method.getName(), "max");
    if (type == String[].class) {
      return new String[] {text};
    }
    return switch (type.getSimpleName()) {
      case "String" -> text;
      case "int" -> 8;
      case "long" -> 8L;
      case "double" -> 0.5;
      case "boolean" -> true;
      case "Duration" -> Duration.ofMillis(1_500);
      case "Path" -> Path.of("somewhere");
      case "Map" -> Map.of("accuracy", method.getName().equals("modelRole") ? "sim/demo" : 0.5);
      default -> throw new IllegalArgumentException("a value for " + type);
    };
  }

  @Test
  void thereIsOneForEachOptionAndNoOther() {
    assertThat(methods().map(Method::getName).collect(Collectors.toSet()))
        .containsExactlyInAnyOrderElementsOf(
            Options.all().stream().map(OptionMethodsTest::methodOf).toList());
  }

  @ParameterizedTest
  @MethodSource("methods")
  void eachSetsItsOption(Method method) throws Exception {
    Object[] values =
        Arrays.stream(method.getParameterTypes()).map(type -> value(method, type)).toArray();
    var given = (Settings) method.invoke(Settings.NONE, values);
    List<String> set =
        Options.all().stream()
            .filter(option -> given.setting(option).isPresent())
            .map(OptionMethodsTest::methodOf)
            .toList();
    assertThat(set).containsExactly(method.getName());

    TaskDefinition.Builder builder =
        TaskDefinition.named("t")
            .dataset(new Sample("1", "a", "b"))
            .solver(Solvers.generate())
            .scorer(Scorers.includes());
    assertThat(method.invoke(builder, values)).isSameAs(builder);
    assertThat(builder.build().settings()).isEqualTo(given);
  }

  @Test
  void valuesAreThoseThatWereGiven() {
    RunOptions options =
        RunOptions.parse(
            Settings.NONE
                .stopSeqs("END", "a, b")
                .timeLimit(Duration.ofMillis(1_500))
                .limit(11, 20)
                .modelArgs(Map.of("accuracy", 0.5))
                .threshold(Map.of("accuracy", 0.8))
                .cache("never")
                .retry5xx(false));
    assertThat(options.models().generation().stop()).containsExactly("END", "a, b");
    assertThat(options.sampleLimits().time()).contains(Duration.ofMillis(1_500));
    assertThat(options.samples().range()).contains(new RunOptions.SampleOptions.Range(11, 20));
    assertThat(options.modelArguments()).containsExactly(entry("accuracy", "0.5"));
    assertThat(options.budget().thresholds()).containsExactly(entry("accuracy", 0.8));
  }
}
