package dev.weir.model.cache;

import dev.weir.model.cache.ResponseCache.Lookup;
import dev.weir.model.cache.ResponseCache.Settings;
import dev.weir.time.Time;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** A process that fills a cache until it is killed, or has written so many entries. */
final class CacheWriter {

  private CacheWriter() {}

  static CacheKey key(int number) {
    return CacheKey.of(("question " + number).getBytes(StandardCharsets.UTF_8));
  }

  /** Long enough that a kill can hit the middle of it, and different for each number. */
  static String text(int number) {
    return ("answer " + number + " ").repeat(2_000 + number % 1_000);
  }

  public static void main(String[] arguments) throws Exception {
    Path directory = Path.of(arguments[0]);
    int count = Integer.parseInt(arguments[1]);
    int step = Integer.parseInt(arguments[2]);
    ResponseCache cache =
        ResponseCache.open(
            Time.system(), directory, new Settings(CacheAge.NEVER, Long.parseLong(arguments[3])));
    System.out.println("ready");
    for (int i = 0; i < count; i++) {
      int number = Math.floorMod(i * step, count);
      switch (cache.look(key(number), Time.NEVER)) {
        case Lookup.Hit(String text) -> {
          if (!text.equals(text(number))) {
            throw new IllegalStateException("the answer to another question");
          }
        }
        case Lookup.Miss(ResponseCache.Flight flight) -> {
          try (flight) {
            flight.land("a/b", text(number));
          }
        }
        case Lookup.TooLate() -> throw new IllegalStateException("nobody is late");
      }
    }
    if (cache.problem().isPresent()) {
      throw new IllegalStateException(cache.problem().get());
    }
    System.out.println("done");
  }
}
