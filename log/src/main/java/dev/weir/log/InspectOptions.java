package dev.weir.log;

import static dev.weir.log.InspectJson.object;
import static dev.weir.log.InspectJson.texts;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.node.ObjectNode;

/**
 * Options of a run, as words of people, in the fields that Inspect has for them: whole seconds and
 * tokens, numbers, lists. What has no field there, or cannot be said in it, stands with all the
 * others under {@link InspectJson#WEIR}.
 */
final class InspectOptions {

  private static final Pattern WHOLE = Pattern.compile("\\d{1,9}");
  private static final Pattern NUMBER = Pattern.compile("\\d{1,15}(\\.\\d{1,15})?");
  private static final Pattern DURATION =
      Pattern.compile("(\\d{1,9}(?:\\.\\d{1,9})?) ?(ms|s|m|h)?");
  private static final Pattern TOKENS =
      Pattern.compile("(?i)(?:([^:]+):)?(\\d{1,12}(?:\\.\\d{1,9})?)([kmb]?)");
  private static final Pattern RANGE = Pattern.compile("(\\d{1,9})-(\\d{1,9})");
  private static final Pattern ARGUMENT = Pattern.compile("[^=,{]+=[^=,{]*");

  private static final Map<String, BiConsumer<Field, String>> RUN =
      Map.ofEntries(
          Map.entry("limit", Field::range),
          Map.entry("sample_id", Field::list),
          Map.entry("sample_shuffle", Field::flagOrNumber),
          Map.entry("epochs", Field::whole),
          Map.entry("epochs_reducer", Field::list),
          Map.entry("fail_on_error", Field::flagOrNumber),
          Map.entry("continue_on_fail", Field::flag),
          Map.entry("retry_on_error", Field::whole),
          Map.entry("score_on_error", Field::flag),
          Map.entry("message_limit", Field::whole),
          Map.entry("token_limit", Field::tokens),
          Map.entry("turn_limit", Field::whole),
          Map.entry("time_limit", Field::seconds),
          Map.entry("working_limit", Field::seconds),
          Map.entry("cost_limit", Field::number),
          Map.entry("max_samples", Field::whole),
          Map.entry("max_tasks", Field::whole),
          Map.entry("max_subprocesses", Field::whole),
          Map.entry("max_sandboxes", Field::whole));

  private static final Map<String, BiConsumer<Field, String>> GENERATION =
      Map.ofEntries(
          Map.entry("max_connections", Field::whole),
          Map.entry("max_retries", Field::whole),
          Map.entry("timeout", Field::seconds),
          Map.entry("attempt_timeout", Field::seconds),
          Map.entry("max_tokens", Field::whole),
          Map.entry("seed", Field::whole),
          Map.entry("temperature", Field::number),
          Map.entry("top_p", Field::number),
          Map.entry("stop_seqs", Field::list),
          Map.entry("reasoning_effort", Field::text));

  private InspectOptions() {}

  /** {@code eval.config}. */
  static ObjectNode run(Map<String, String> given) {
    return written(RUN, given);
  }

  /** {@code eval.model_generate_config}. */
  static ObjectNode generation(Map<String, String> given) {
    return written(GENERATION, given);
  }

  /** {@code eval.model_args}, if they can be told apart by their commas. */
  static ObjectNode modelArguments(Map<String, String> given) {
    ObjectNode json = object();
    String word = given.getOrDefault("model_args", "");
    List<String> arguments = List.of(word.split(",", -1));
    if (arguments.stream().allMatch(argument -> ARGUMENT.matcher(argument).matches())) {
      for (String argument : arguments) {
        int end = argument.indexOf('=');
        json.put(argument.substring(0, end), argument.substring(end + 1));
      }
    }
    return json;
  }

  private static ObjectNode written(
      Map<String, BiConsumer<Field, String>> fields, Map<String, String> given) {
    ObjectNode json = object();
    given.forEach(
        (name, word) -> {
          BiConsumer<Field, String> form = fields.get(name);
          if (form != null) {
            form.accept(new Field(json, name), word.strip());
          }
        });
    return json;
  }

  /** A field to write; a word that its form does not fit leaves it out. */
  private record Field(ObjectNode json, String name) {

    void text(String word) {
      json.put(name, word);
    }

    void list(String word) {
      json.set(name, texts(List.of(word.split("\\s*,\\s*", -1))));
    }

    void flag(String word) {
      json.put(name, Boolean.parseBoolean(word));
    }

    void flagOrNumber(String word) {
      if (word.equals("true") || word.equals("false")) {
        flag(word);
      } else if (WHOLE.matcher(word).matches()) {
        whole(word);
      } else {
        number(word);
      }
    }

    void whole(String word) {
      if (WHOLE.matcher(word).matches()) {
        json.put(name, Integer.parseInt(word));
      }
    }

    void number(String word) {
      if (NUMBER.matcher(word).matches()) {
        json.put(name, Double.parseDouble(word));
      }
    }

    /** Up, since a limit of less than a second is not one of none. */
    void seconds(String word) {
      Matcher parts = DURATION.matcher(word);
      if (parts.matches()) {
        BigDecimal unit =
            switch (String.valueOf(parts.group(2))) {
              case "ms" -> new BigDecimal("0.001");
              case "m" -> BigDecimal.valueOf(60);
              case "h" -> BigDecimal.valueOf(3600);
              default -> BigDecimal.ONE;
            };
        json.put(
            name,
            new BigDecimal(parts.group(1))
                .multiply(unit)
                .setScale(0, RoundingMode.CEILING)
                .longValue());
      }
    }

    void tokens(String word) {
      Matcher parts = TOKENS.matcher(word);
      if (parts.matches()) {
        int zeros =
            switch (parts.group(3)) {
              case "k", "K" -> 3;
              case "m", "M" -> 6;
              case "b", "B" -> 9;
              default -> 0;
            };
        json.put(name, new BigDecimal(parts.group(2)).movePointRight(zeros).longValue());
        if (parts.group(1) != null) {
          json.put(name + "_type", parts.group(1));
        }
      }
    }

    /** A range counts from 1 for people, and its first sample from 0 there. */
    void range(String word) {
      Matcher parts = RANGE.matcher(word);
      if (parts.matches()) {
        json.putArray(name)
            .add(Integer.parseInt(parts.group(1)) - 1)
            .add(Integer.parseInt(parts.group(2)));
      } else {
        whole(word);
      }
    }
  }
}
