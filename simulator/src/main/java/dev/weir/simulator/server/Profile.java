package dev.weir.simulator.server;

import dev.weir.model.ConfigurationException;
import dev.weir.model.Spelling;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * A published tier of a provider.
 *
 * @param provider whose models it limits, as their names begin; absent if anybody's
 * @param source where the numbers were published
 * @param date when they were read there
 * @param notes what is an assumption, and what is left out
 */
public record Profile(
    String name,
    String description,
    Optional<String> provider,
    String source,
    LocalDate date,
    String notes,
    Map<Setting, String> settings) {

  /** Data files beside this class, each with the profiles of one provider. */
  private static final List<String> FILES =
      List.of(
          "openai",
          "anthropic",
          "azure",
          "bedrock",
          "gemini",
          "groq",
          "mistral",
          "openrouter",
          "self-hosted");

  public Profile {
    settings = Map.copyOf(settings);
  }

  /** All that are known, by provider and tier. */
  public static List<Profile> all() {
    List<Profile> profiles = new ArrayList<>();
    for (String file : FILES) {
      profiles.addAll(read(file + ".yaml"));
    }
    return profiles;
  }

  /**
   * @throws ConfigurationException if there is none of that name, with the one that was meant
   */
  public static Profile named(String name) {
    List<Profile> all = all();
    return all.stream()
        .filter(profile -> profile.name.equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new ConfigurationException(
                    "there is no profile '%s'%s"
                        .formatted(
                            name, Spelling.hint(name, all.stream().map(Profile::name).toList()))));
  }

  /** The settings as words, each knowing that it is this profile's. */
  Map<Setting, List<Given>> given() {
    Map<Setting, List<Given>> given = new EnumMap<>(Setting.class);
    settings.forEach(
        (setting, word) ->
            given.put(
                setting,
                List.of(new Given("profile %s: %s".formatted(name, setting.key()), word))));
    return given;
  }

  private static List<Profile> read(String file) {
    try (InputStream stream = Profile.class.getResourceAsStream(file)) {
      if (stream == null) {
        throw new IllegalStateException(
            "cannot read the profiles of %s: no such file".formatted(file));
      }
      Object document =
          new Load(LoadSettings.builder().setLabel(file).build()).loadFromInputStream(stream);
      Map<String, Object> root = map(file, document);
      List<Profile> profiles = new ArrayList<>();
      map(file, root.get("profiles"))
          .forEach((name, entry) -> profiles.add(profile(file, name, root, map(file, entry))));
      return profiles;
    } catch (IOException failed) {
      throw new UncheckedIOException("cannot read the profiles of " + file, failed);
    }
  }

  /** What a profile does not say itself, its file says for all. */
  private static Profile profile(
      String file, String name, Map<String, Object> root, Map<String, Object> own) {
    Map<String, Object> all = new LinkedHashMap<>(root);
    all.remove("profiles");
    all.putAll(own);
    Map<Setting, String> settings = new EnumMap<>(Setting.class);
    for (Map.Entry<String, Object> entry : all.entrySet()) {
      switch (entry.getKey()) {
        case "description", "provider", "source", "date", "notes" -> {}
        default ->
            settings.put(
                Setting.of(entry.getKey())
                    .orElseThrow(
                        () ->
                            new IllegalStateException(
                                "cannot read profile %s in %s: `%s` is no setting"
                                    .formatted(name, file, entry.getKey()))),
                String.valueOf(entry.getValue()));
      }
    }
    return new Profile(
        name,
        text(file, all, "description"),
        all.containsKey("provider") ? Optional.of(text(file, all, "provider")) : Optional.empty(),
        text(file, all, "source"),
        LocalDate.parse(text(file, all, "date")),
        text(file, all, "notes"),
        settings);
  }

  private static Map<String, Object> map(String file, @Nullable Object value) {
    if (!(value instanceof Map<?, ?> map)) {
      throw new IllegalStateException("cannot read %s: a map is missing".formatted(file));
    }
    Map<String, Object> read = new LinkedHashMap<>();
    map.forEach((key, entry) -> read.put(String.valueOf(key), entry));
    return read;
  }

  private static String text(String file, Map<String, Object> map, String key) {
    if (!(map.get(key) instanceof String text) || text.isBlank()) {
      throw new IllegalStateException("cannot read %s: `%s` is missing".formatted(file, key));
    }
    return text.strip();
  }
}
