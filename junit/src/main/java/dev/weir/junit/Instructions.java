package dev.weir.junit;

import dev.weir.eval.option.Option;
import dev.weir.eval.option.Options;
import dev.weir.eval.option.RunOptions;
import dev.weir.eval.option.Settings;
import dev.weir.model.ConfigurationException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What annotations say together.
 *
 * @param spec what {@link dev.weir.eval.source.TaskSources} finds the tasks by
 * @param settings of the annotations alone
 */
record Instructions(
    String spec, Settings settings, List<Threshold> thresholds, boolean skipWithoutCredentials) {

  private static final String RESOURCE = "classpath:";

  Instructions {
    thresholds = List.copyOf(thresholds);
  }

  /** What a method says, and where it says nothing, its class. */
  static Instructions of(Class<?> testClass, Evaluation method, Optional<Evaluation> ofClass) {
    Evaluation fallback = ofClass.orElse(method);
    Settings own = settings(method);
    return new Instructions(
        spec(testClass, method.task().isEmpty() ? fallback.task() : method.task()),
        fallback.equals(method) ? own : own.orElse(settings(fallback)),
        List.of(method.threshold().length == 0 ? fallback.threshold() : method.threshold()).stream()
            .map(Threshold::parse)
            .toList(),
        method.skipWithoutCredentials() || fallback.skipWithoutCredentials());
  }

  private static String spec(Class<?> testClass, String task) {
    if (task.isEmpty() || task.startsWith("@")) {
      return testClass.getName() + task;
    }
    return task.startsWith(RESOURCE)
        ? resource(testClass, task.substring(RESOURCE.length()))
        : task;
  }

  private static String resource(Class<?> testClass, String name) {
    int sign = name.lastIndexOf('@');
    String file = sign < 0 ? name : name.substring(0, sign);
    URL found = testClass.getClassLoader().getResource(file);
    if (found == null || !found.getProtocol().equals("file")) {
      throw new ConfigurationException(
          "`task` of @Evaluation: there is no file '%s' on the class path".formatted(file));
    }
    try {
      return Path.of(found.toURI()) + name.substring(file.length());
    } catch (URISyntaxException malformed) {
      throw new IllegalStateException("a resource has a proper address: " + found, malformed);
    }
  }

  private static Settings settings(Evaluation annotation) {
    Settings settings = Settings.NONE;
    if (annotation.model().length > 0) {
      settings =
          settings.with(
              Options.named("model"),
              String.join(",", annotation.model()),
              "`model` of @Evaluation");
    }
    for (String pair : annotation.options()) {
      int equals = pair.indexOf('=');
      if (equals < 1) {
        throw new ConfigurationException(
            "`options` of @Evaluation must be of the form key=value, was '%s'".formatted(pair));
      }
      Option option = Options.named(pair.substring(0, equals).strip());
      Settings one =
          Settings.NONE.with(
              option,
              pair.substring(equals + 1).strip(),
              "`%s` in `options` of @Evaluation".formatted(option.key()));
      // Of pairs that are given twice, both hold.
      settings = one.orElse(settings);
    }
    RunOptions.parse(settings);
    return settings;
  }

  /** These settings below those of variables, where an empty one counts as unset. */
  Settings below(Map<String, String> environment) {
    Settings variables = Settings.NONE;
    for (Option option : Options.all()) {
      String word = environment.getOrDefault(option.variable(), "");
      if (!word.isEmpty()) {
        variables = variables.with(option, word, option.variable());
      }
    }
    RunOptions.parse(variables);
    return variables.orElse(settings);
  }
}
