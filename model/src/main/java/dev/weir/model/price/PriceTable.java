package dev.weir.model.price;

import dev.weir.model.ConfigurationException;
import dev.weir.model.ModelName;
import dev.weir.model.PathSpelling;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Prices by the names of models. What is not in it has no known price, which is not a price of 0.
 *
 * <p>A dated name has the price of its family, {@code openai/gpt-4o-2024-08-06} that of {@code
 * openai/gpt-4o}, unless it has its own. {@code vllm/*} stands for all other models of a provider.
 *
 * <p>Immutable.
 */
public final class PriceTable {

  /** No price is known. */
  public static final PriceTable EMPTY = new PriceTable(Map.of());

  /** A file whose prices win. */
  public static final String FILE_VARIABLE = "WEIR_PRICES";

  private static final String BUILT_IN = "prices.json";
  private static final String ALL_OTHERS = "/*";
  private static final String BYTE_ORDER_MARK = "\uFEFF";
  private static final long LARGEST_FILE = 10 << 20;

  /**
   * The end of a name that tells one snapshot of a family from another. Nothing else does:
   * gpt-5-pro is no snapshot of gpt-5, and mistral-large-2411 has another price than its family.
   */
  private static final Pattern SNAPSHOT =
      Pattern.compile("(.+?)[-@](\\d{4}-\\d{2}-\\d{2}|\\d{8}|\\d{3}|latest)");

  private final Map<String, Price> prices;

  private PriceTable(Map<String, Price> prices) {
    this.prices = new TreeMap<>(prices);
  }

  /** What comes with Weir, each with the day it was seen. */
  public static PriceTable builtIn() {
    try (InputStream in = PriceTable.class.getResourceAsStream(BUILT_IN)) {
      if (in == null) {
        throw new IllegalStateException("the file " + BUILT_IN + " is missing from the program");
      }
      return new PriceTable(
          PriceFile.read(
              "the built-in prices", new String(in.readAllBytes(), StandardCharsets.UTF_8)));
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  /**
   * The built-in prices, and those of the file that the variable names, which win.
   *
   * @throws ConfigurationException if there is such a file and it cannot be used
   */
  public static PriceTable of(Map<String, String> environment) {
    String file = environment.getOrDefault(FILE_VARIABLE, "").strip();
    if (file.isEmpty()) {
      return builtIn();
    }
    try {
      return builtIn().with(read(Path.of(file)));
    } catch (InvalidPathException malformed) {
      throw new ConfigurationException(
          "%s must be a path, was '%s'".formatted(FILE_VARIABLE, file), malformed);
    }
  }

  /**
   * Prices of a file of the form that the built-in ones have.
   *
   * @throws ConfigurationException if it cannot be read or makes no sense
   */
  public static PriceTable read(Path file) {
    try {
      if (Files.size(file) > LARGEST_FILE) {
        throw new ConfigurationException(
            "the price file %s is larger than %d bytes".formatted(file, LARGEST_FILE));
      }
      String text = Files.readString(file);
      return new PriceTable(
          PriceFile.read(
              "the price file " + file,
              text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text));
    } catch (CharacterCodingException notUtf8) {
      throw new ConfigurationException(
          "the price file %s is not UTF-8 text; save or convert it as UTF-8".formatted(file),
          notUtf8);
    } catch (NoSuchFileException missing) {
      throw new ConfigurationException(
          "there is no price file %s%s".formatted(file, PathSpelling.hint(file)), missing);
    } catch (IOException unreadable) {
      throw new ConfigurationException(
          "the price file %s cannot be read: %s".formatted(file, unreadable), unreadable);
    }
  }

  /** These prices, and the others, which win one by one. */
  public PriceTable with(PriceTable others) {
    Map<String, Price> all = new TreeMap<>(prices);
    all.putAll(others.prices);
    return new PriceTable(all);
  }

  /** These prices, but another one for a model. */
  public PriceTable with(ModelName model, Price price) {
    return with(new PriceTable(Map.of(model.toString(), price)));
  }

  /** What is known about a model. */
  public Optional<Price> priceOf(ModelName model) {
    String name = model.withoutAccount().toString();
    return named(name).or(() -> family(name)).or(() -> named(model.provider() + ALL_OTHERS));
  }

  /** All of them, in the order of their names. */
  public Map<String, Price> all() {
    return Collections.unmodifiableMap(prices);
  }

  private Optional<Price> family(String name) {
    Matcher snapshot = SNAPSHOT.matcher(name);
    return snapshot.matches() ? named(snapshot.group(1)) : Optional.empty();
  }

  private Optional<Price> named(String name) {
    return Optional.ofNullable(prices.get(name));
  }
}
