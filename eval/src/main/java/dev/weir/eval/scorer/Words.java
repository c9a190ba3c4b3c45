package dev.weir.eval.scorer;

import dev.weir.eval.component.Arguments;
import dev.weir.model.Spelling;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Words for the constants of an enumeration, as arguments have them. */
final class Words {

  private Words() {}

  static <E extends Enum<E>> E read(Arguments arguments, String name, Class<E> type, E otherwise) {
    Optional<String> given = arguments.text(name);
    if (given.isEmpty()) {
      return otherwise;
    }
    return Arrays.stream(type.getEnumConstants())
        .filter(constant -> word(constant).equals(given.get()))
        .findFirst()
        .orElseThrow(
            () -> {
              List<String> known = Arrays.stream(type.getEnumConstants()).map(Words::word).toList();
              return arguments.wrong(
                  name,
                  "must be one of %s, was '%s'%s"
                      .formatted(
                          String.join(", ", known),
                          given.get(),
                          Spelling.nearest(given.get(), known)
                              .map("; did you mean '%s'?"::formatted)
                              .orElse("")));
            });
  }

  static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
