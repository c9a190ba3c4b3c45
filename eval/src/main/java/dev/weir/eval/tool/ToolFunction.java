package dev.weir.eval.tool;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a tool does, given what the model wrote. Called by any number of samples at once. */
@FunctionalInterface
public interface ToolFunction {

  /**
   * @param arguments text, numbers, booleans, lists and maps by name; only the presence of those
   *     that the schema requires has been checked
   * @return text, or what is shown as JSON: a record, a list, a map; null for nothing
   * @throws ToolException what the model is to be told; any other exception fails the sample
   */
  @Nullable Object call(Map<String, @Nullable Object> arguments) throws InterruptedException;
}
