package dev.weir.eval.component;

import dev.weir.model.ConfigurationException;
import dev.weir.model.Spelling;
import java.util.List;
import java.util.function.Function;

/**
 * Something that a task can name, such as a solver or a scorer. The table of them is where task
 * files, their JSON schema, help and errors come from.
 *
 * <pre>
 * solver:
 *   - generate                            # no arguments
 *   - system_message: You are a pirate.   # the first parameter
 *   - multiple_choice: {cot: true}        # by name
 * </pre>
 *
 * @param name as it is written, with underscores
 * @param description what it does, in a sentence
 * @param parameters what it takes; one that stands alone is the first
 * @param maker makes one of its arguments; throws {@link Arguments#wrong} for those it cannot use
 */
public record Component<T>(
    String name, String description, List<Parameter> parameters, Function<Arguments, T> maker) {

  public Component {
    parameters = List.copyOf(parameters);
  }

  /** Takes no arguments. */
  public static <T> Component<T> of(String name, String description, T component) {
    return new Component<>(name, description, List.of(), _ -> component);
  }

  /**
   * @throws ConfigurationException if an argument is unknown, missing or of another kind
   */
  public T make(Arguments arguments) {
    List<String> known = parameters.stream().map(Parameter::name).toList();
    for (String given : arguments.names()) {
      if (!known.contains(given)) {
        throw arguments.wrong(
            given,
            parameters.isEmpty()
                ? "is not known: '%s' takes no arguments".formatted(name)
                : "is not an argument of '%s'%s".formatted(name, Spelling.hint(given, known)));
      }
    }
    for (Parameter parameter : parameters) {
      if (parameter.required() && !arguments.has(parameter.name())) {
        throw arguments.wrong(parameter.name(), "is missing: '%s' needs it".formatted(name));
      }
    }
    return maker.apply(arguments);
  }
}
