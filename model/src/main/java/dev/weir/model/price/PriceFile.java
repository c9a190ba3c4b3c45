package dev.weir.model.price;

import dev.weir.model.ConfigurationException;
import dev.weir.model.ModelName;
import dev.weir.model.Printable;
import dev.weir.model.Spelling;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Reads prices. The form, in US dollars for a million tokens:
 *
 * <pre>{@code
 * {"prices": [{
 *   "models": ["openai/gpt-4o"],
 *   "input": 2.5, "cache_read": 1.25, "cache_write": 3, "output": 10,
 *   "long_prompts": {"above": 200000, "input": 5, "output": 15},
 *   "batch_factor": 0.5,
 *   "as_of": "2026-11-15", "source": "https://…", "note": "…"
 * }]}
 * }</pre>
 */
final class PriceFile {

  private static final Set<String> RATES = Set.of("input", "cache_read", "cache_write", "output");

  private static final Set<String> KEYS =
      union(RATES, Set.of("models", "long_prompts", "batch_factor", "as_of", "source", "note"));

  private static final Set<String> LONG_KEYS = union(RATES, Set.of("above"));

  private static final String FORM = "{\"prices\": [{\"models\": [\"openai/gpt-4o\"], …}]}";

  /** More is not a price, and would make sums slow. */
  private static final int MOST_DIGITS = 12;

  private PriceFile() {}

  /**
   * @param name what to call the file in errors
   * @throws ConfigurationException if it makes no sense, with the place of what does not
   */
  static Map<String, Price> read(String name, String text) {
    Placed file = Placed.read(name, text);
    Placed prices = members(file, "the file", Set.of("prices", "note")).get("prices");
    if (prices == null) {
      throw file.problem("`prices` is missing; it is a list, as in " + FORM);
    }
    List<Placed> entries =
        prices
            .items()
            .orElseThrow(
                () ->
                    prices.problem(
                        "`prices` must be a list, as in %s, was %s".formatted(FORM, prices)));
    Map<String, Price> read = new LinkedHashMap<>();
    entries.forEach(entry -> read(entry, read));
    return read;
  }

  private static void read(Placed entry, Map<String, Price> prices) {
    Map<String, Placed> members = members(entry, "an entry of `prices`", KEYS);
    Optional<Placed> longPrompts = Optional.ofNullable(members.get("long_prompts"));
    Price price =
        new Price(
            rates(entry, members),
            longPrompts.map(PriceFile::longPrompts),
            number(members, "batch_factor").map(PriceFile::factor),
            date(entry, members),
            text(entry, members, "source"));
    for (Placed model : models(entry, members)) {
      String name = model(model);
      if (prices.put(name, price) != null) {
        throw model.problem("`models`: '%s' is there twice".formatted(Printable.line(name)));
      }
    }
  }

  private static List<Placed> models(Placed entry, Map<String, Placed> members) {
    String rule = "`models` must be a list of names such as openai/gpt-4o";
    Placed models = members.get("models");
    if (models == null) {
      throw entry.problem("`models` is missing; it is a list of names such as openai/gpt-4o");
    }
    return models.items().filter(names -> !names.isEmpty()).orElseThrow(() -> models.problem(rule));
  }

  private static String model(Placed model) {
    if (!(model.data() instanceof String name)) {
      throw model.problem("`models` must be names such as openai/gpt-4o, was " + model);
    }
    try {
      return ModelName.parse(name).toString();
    } catch (ConfigurationException malformed) {
      throw new ConfigurationException(
          "%s: `models`: %s".formatted(model.place(), malformed.getMessage()), malformed);
    }
  }

  private static Price.Rates rates(Placed object, Map<String, Placed> members) {
    return new Price.Rates(
        required(object, members, "input"),
        price(members, "cache_read"),
        price(members, "cache_write"),
        required(object, members, "output"));
  }

  private static Price.LongPrompts longPrompts(Placed given) {
    Map<String, Placed> members = members(given, "`long_prompts`", LONG_KEYS);
    Amount above =
        number(members, "above")
            .orElseThrow(() -> given.problem("`above` is missing; it is a number of tokens"));
    if (above.value().signum() <= 0 || above.value().stripTrailingZeros().scale() > 0) {
      throw above.problem("must be a whole number >= 1");
    }
    return new Price.LongPrompts(above.value().longValue(), rates(given, members));
  }

  private static BigDecimal factor(Amount factor) {
    if (factor.value().signum() < 0 || factor.value().compareTo(BigDecimal.ONE) > 0) {
      throw factor.problem("must be from 0 to 1");
    }
    return factor.value();
  }

  private static BigDecimal required(Placed object, Map<String, Placed> members, String key) {
    return price(members, key).orElseThrow(() -> object.problem("`%s` is missing".formatted(key)));
  }

  private static Optional<BigDecimal> price(Map<String, Placed> members, String key) {
    return number(members, key)
        .map(
            price -> {
              if (price.value().signum() < 0) {
                throw price.problem("must be >= 0");
              }
              return price.value();
            });
  }

  /** A number of reasonable length, with its key. */
  private record Amount(String key, BigDecimal value, Placed given) {

    ConfigurationException problem(String rule) {
      return given.problem("`%s` %s, was %s".formatted(key, rule, given));
    }
  }

  private static Optional<Amount> number(Map<String, Placed> members, String key) {
    Placed given = members.get(key);
    if (given == null) {
      return Optional.empty();
    }
    if (!(given.data() instanceof BigDecimal number)) {
      throw given.problem("`%s` must be a number, was %s".formatted(key, given));
    }
    if (number.precision() > MOST_DIGITS || Math.abs(number.scale()) > MOST_DIGITS) {
      throw given.problem("`%s` must not have more than %d digits".formatted(key, MOST_DIGITS));
    }
    return Optional.of(new Amount(key, number, given));
  }

  private static LocalDate date(Placed entry, Map<String, Placed> members) {
    String text = text(entry, members, "as_of");
    try {
      return LocalDate.parse(text);
    } catch (DateTimeException malformed) {
      throw new ConfigurationException(
          "%s: `as_of` must be a date such as 2026-11-15, was '%s'"
              .formatted(
                  Optional.ofNullable(members.get("as_of")).orElse(entry).place(),
                  Printable.line(text)),
          malformed);
    }
  }

  private static String text(Placed entry, Map<String, Placed> members, String key) {
    Placed given = members.get(key);
    if (given == null) {
      throw entry.problem("`%s` is missing".formatted(key));
    }
    if (!(given.data() instanceof String text) || text.isBlank()) {
      throw given.problem("`%s` must be a text, was %s".formatted(key, given));
    }
    return text;
  }

  private static Map<String, Placed> members(Placed given, String what, Set<String> known) {
    Map<String, Placed> members =
        given
            .members()
            .orElseThrow(
                () -> given.problem("%s must be an object {…}, was %s".formatted(what, given)));
    members.forEach(
        (key, value) -> {
          if (!known.contains(key)) {
            throw value.keyProblem(
                "there is no key '%s'%s".formatted(Printable.line(key), Spelling.hint(key, known)));
          }
        });
    return members;
  }

  private static Set<String> union(Set<String> some, Set<String> others) {
    Set<String> all = new TreeSet<>(some);
    all.addAll(others);
    return all;
  }
}
