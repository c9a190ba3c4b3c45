package dev.weir.cli;

import java.util.Map;
import java.util.Stack;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Takes the value of an option that may stand alone only if it is attached with {@code =}: in
 * {@code --cache task.yaml} the file is not an age.
 */
final class AttachedOnly implements IParameterPreprocessor {

  @Override
  @SuppressWarnings("JdkObsolete") // picocli's own signature
  public boolean preprocess(
      Stack<String> words, CommandSpec command, ArgSpec option, Map<String, Object> info) {
    if (" ".equals(info.get("separator")) && option instanceof OptionSpec alone) {
      words.push(alone.fallbackValue());
    }
    return false;
  }
}
