package dev.weir.cli;

import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Takes the value of an option that is not given from the environment: WEIR_LOG_DIR. */
final class EnvironmentDefaults implements IDefaultValueProvider {

  private final Map<String, String> environment;

  EnvironmentDefaults(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public @Nullable String defaultValue(ArgSpec argument) {
    if (!(argument instanceof OptionSpec option) || option.usageHelp() || option.versionHelp()) {
      return null;
    }
    return environment.get(variable(option));
  }

  static String variable(OptionSpec option) {
    String name = option.longestName().replaceFirst("^-+", "");
    return "WEIR_" + name.replace('-', '_').toUpperCase(Locale.ROOT);
  }
}
