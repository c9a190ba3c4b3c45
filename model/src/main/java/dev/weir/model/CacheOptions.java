package dev.weir.model;

import dev.weir.model.cache.CacheAge;
import dev.weir.model.cache.ResponseCache;
import dev.weir.model.cache.ResponseCache.Settings;
import dev.weir.time.Time;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;

/** What users say about the cache, in options and variables. */
public final class CacheOptions {

  /** Where entries are. */
  public static final String DIRECTORY_VARIABLE = "WEIR_CACHE_DIR";

  /** The most that they take on disk. */
  public static final String MAX_BYTES_VARIABLE = "WEIR_CACHE_MAX_BYTES";

  private CacheOptions() {}

  /**
   * The cache that the environment names; its directory is made.
   *
   * @throws ConfigurationException if it cannot be, or a variable makes no sense
   */
  public static ResponseCache open(Time time, CacheAge age, Map<String, String> environment) {
    Path directory = directory(environment);
    try {
      return ResponseCache.open(time, directory, new Settings(age, maxBytes(environment)));
    } catch (IOException failed) {
      throw new ConfigurationException(
          "the cache directory %s cannot be made (%s); choose another one with %s"
              .formatted(
                  directory,
                  Files.isRegularFile(directory) ? "it is a file" : failed.toString(),
                  DIRECTORY_VARIABLE),
          failed);
    }
  }

  /**
   * Where entries are: what the variable says, or the usual place of the system.
   *
   * @throws ConfigurationException if there is no such place
   */
  public static Path directory(Map<String, String> environment) {
    String given = value(environment, DIRECTORY_VARIABLE);
    if (!given.isEmpty()) {
      return path(DIRECTORY_VARIABLE, given);
    }
    String caches = value(environment, "XDG_CACHE_HOME");
    // By that standard a relative path is to be ignored.
    if (!caches.isEmpty() && path("XDG_CACHE_HOME", caches).isAbsolute()) {
      return responses(path("XDG_CACHE_HOME", caches));
    }
    String home = value(environment, "HOME");
    if (!home.isEmpty()) {
      return responses(path("HOME", home).resolve(".cache"));
    }
    String windows = value(environment, "LOCALAPPDATA");
    if (!windows.isEmpty()) {
      return responses(path("LOCALAPPDATA", windows));
    }
    throw new ConfigurationException(
        "there is no place for a cache, because HOME is not set; set " + DIRECTORY_VARIABLE);
  }

  /**
   * @throws ConfigurationException if the variable is not a number of bytes
   */
  public static long maxBytes(Map<String, String> environment) {
    String given = value(environment, MAX_BYTES_VARIABLE);
    if (given.isEmpty()) {
      return Settings.DEFAULT_MAX_BYTES;
    }
    try {
      long bytes = Long.parseLong(given);
      if (bytes >= Settings.LEAST_MAX_BYTES) {
        return bytes;
      }
    } catch (NumberFormatException notANumber) {
      // Reported below, like a number out of range.
    }
    throw new ConfigurationException(
        "%s must be a whole number of bytes, at least %d, was '%s'"
            .formatted(MAX_BYTES_VARIABLE, Settings.LEAST_MAX_BYTES, given));
  }

  /**
   * @param option what the age was given as: {@code --cache}
   * @throws ConfigurationException if it is not an age
   */
  public static CacheAge age(String option, String text) {
    return CacheAge.parse(text)
        .orElseThrow(
            () ->
                new ConfigurationException(
                    "%s must be %s, was '%s'".formatted(option, CacheAge.RULE, text)));
  }

  private static Path responses(Path caches) {
    return caches.resolve("weir").resolve("responses");
  }

  private static String value(Map<String, String> environment, String name) {
    return environment.getOrDefault(name, "").strip();
  }

  private static Path path(String variable, String text) {
    try {
      return Path.of(text);
    } catch (InvalidPathException malformed) {
      throw new ConfigurationException(
          "%s must be a path, was '%s'".formatted(variable, text), malformed);
    }
  }
}
