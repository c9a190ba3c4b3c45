package dev.weir.eval.promptfoo;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * A test with one value for each variable.
 *
 * @param number its place among all, from 1
 * @param vars what templates are filled with
 * @param comparisons what compares the answers of all providers
 * @param threshold the least score to pass; empty if all assertions must pass
 * @param providerOutput what is judged instead of an answer
 * @param providers names of those that it is for; empty for all
 * @param prompts names of those that it is for; empty for all
 * @param judging a fingerprint of how answers are changed and judged
 */
record TestCase(
    int number,
    Optional<String> description,
    Map<String, @Nullable Object> vars,
    List<Assertion> assertions,
    List<Comparison> comparisons,
    OptionalDouble threshold,
    Optional<Value> providerOutput,
    List<String> providers,
    List<String> prompts,
    Map<String, @Nullable Object> metadata,
    TestOptions options,
    String judging,
    Place place) {

  boolean isFor(Target target) {
    return providers.isEmpty()
        || providers.stream()
            .anyMatch(
                name ->
                    matches(name, target.id())
                        || matches(name, target.label())
                        || target.id().startsWith(name + ":"));
  }

  boolean isFor(Prompt prompt) {
    return prompts.isEmpty() || prompts.stream().anyMatch(prompt::isMeantBy);
  }

  private static boolean matches(String filter, String name) {
    return name.equals(filter)
        || (filter.endsWith("*") && name.startsWith(filter.substring(0, filter.length() - 1)));
  }

  /** The same with other variables. */
  TestCase with(Map<String, @Nullable Object> changed) {
    return new TestCase(
        number,
        description,
        changed,
        assertions,
        comparisons,
        threshold,
        providerOutput,
        providers,
        prompts,
        metadata,
        options,
        judging,
        place);
  }

  /** As {@link Object#toString} is not of use: variables may be long. */
  @Override
  public String toString() {
    return "test " + number;
  }
}
