package dev.weir.eval.sandbox;

import dev.weir.model.ConfigurationException;
import dev.weir.model.DurationText;
import dev.weir.model.Printable;
import dev.weir.model.SizeText;
import dev.weir.model.Spelling;
import java.io.File;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;

/** What people write about a sandbox, made a {@link SandboxSpec}. */
final class SpecOptions {

  private static final Set<String> KNOWN =
      Set.of(
          "image",
          "network",
          "processes",
          "cpu_time",
          "memory",
          "file_size",
          "cpus",
          "mounts",
          "output_limit",
          "file_limit");

  private final SandboxType type;
  private final String image;
  private final Map<String, String> options;

  SpecOptions(String typeAndImage, Map<String, String> options) {
    int colon = typeAndImage.indexOf(':');
    String word = colon < 0 ? typeAndImage : typeAndImage.substring(0, colon);
    this.type = type(word);
    this.options = options;
    this.image = colon < 0 ? word("image").orElse("") : typeAndImage.substring(colon + 1);
    if (colon >= 0 && options.containsKey("image")) {
      throw wrong("image", "is given twice: also as '%s'".formatted(typeAndImage));
    }
    for (String option : options.keySet()) {
      if (!KNOWN.contains(option)) {
        throw new ConfigurationException(
            "sandbox `%s` is unknown%s"
                .formatted(Printable.line(option), Spelling.hint(option, KNOWN)));
      }
    }
  }

  SandboxSpec read(Map<String, String> environment) {
    ProcessLimits otherwise = ProcessLimits.defaults();
    try {
      return new SandboxSpec(
          type,
          image,
          read("network", SpecOptions::flag, "true or false").orElse(type == SandboxType.LOCAL),
          new ProcessLimits(
              read("processes", SpecOptions::whole, "a whole number").or(otherwise::processes),
              read("cpu_time", text -> DurationText.parse(text, "s"), DurationText.RULE)
                  .or(otherwise::cpuTime),
              read("memory", SizeText::parse, SizeText.RULE).or(otherwise::memory),
              read("file_size", SizeText::parse, SizeText.RULE).or(otherwise::fileSize)),
          read("cpus", SpecOptions::number, "a number such as 1.5"),
          read("mounts", SpecOptions::paths, "paths, separated by '" + File.pathSeparator + "'")
              .orElse(List.of()),
          environment,
          limit("output_limit", SandboxSpec.DEFAULT_OUTPUT_LIMIT),
          limit("file_limit", SandboxSpec.DEFAULT_FILE_LIMIT));
    } catch (IllegalArgumentException impossible) {
      throw new ConfigurationException(
          "sandbox " + Printable.line(String.valueOf(impossible.getMessage())), impossible);
    }
  }

  private static SandboxType type(String word) {
    return Arrays.stream(SandboxType.values())
        .filter(type -> type.word().equals(word))
        .findFirst()
        .orElseThrow(
            () ->
                new ConfigurationException(
                    "sandbox '%s' is unknown%s"
                        .formatted(
                            Printable.line(word),
                            Spelling.hint(
                                word,
                                Arrays.stream(SandboxType.values())
                                    .map(SandboxType::word)
                                    .toList()))));
  }

  private Optional<String> word(String option) {
    return Optional.ofNullable(options.get(option)).map(String::strip);
  }

  private <T> Optional<T> read(
      String option, Function<String, Optional<T>> conversion, String rule) {
    return word(option)
        .map(
            text ->
                conversion
                    .apply(text)
                    .orElseThrow(
                        () ->
                            wrong(
                                option,
                                "must be %s, was '%s'".formatted(rule, Printable.line(text)))));
  }

  private int limit(String option, int otherwise) {
    return read(option, SizeText::parse, SizeText.RULE)
        .map(bytes -> (int) Math.min(bytes, Integer.MAX_VALUE))
        .orElse(otherwise);
  }

  private static ConfigurationException wrong(String option, String rule) {
    return new ConfigurationException("sandbox `%s` %s".formatted(option, rule));
  }

  private static Optional<Boolean> flag(String text) {
    return switch (text) {
      case "true" -> Optional.of(true);
      case "false" -> Optional.of(false);
      default -> Optional.empty();
    };
  }

  private static Optional<Integer> whole(String text) {
    try {
      return Optional.of(Integer.parseInt(text));
    } catch (NumberFormatException notANumber) {
      return Optional.empty();
    }
  }

  private static Optional<Double> number(String text) {
    try {
      return Optional.of(Double.parseDouble(text)).filter(Double::isFinite);
    } catch (NumberFormatException notANumber) {
      return Optional.empty();
    }
  }

  private static Optional<List<Path>> paths(String text) {
    try {
      return Optional.of(
          Pattern.compile(File.pathSeparator, Pattern.LITERAL)
              .splitAsStream(text)
              .filter(path -> !path.isBlank())
              .map(Path::of)
              .toList());
    } catch (InvalidPathException notAPath) {
      return Optional.empty();
    }
  }
}
