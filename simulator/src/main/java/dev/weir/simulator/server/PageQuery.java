package dev.weir.simulator.server;

import dev.weir.web.Request;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a request says after the question mark about the page that it wants. */
record PageQuery(String query) {

  static PageQuery of(Request request) {
    return new PageQuery(request.query());
  }

  String text(String name) {
    return value(name).orElse("");
  }

  /**
   * @throws BadCallException if it is not a number from 1 to {@code most}
   */
  int number(String name, int otherwise, int most) {
    String text = value(name).orElse(String.valueOf(otherwise));
    if (!text.matches("\\d{1,6}") || Integer.parseInt(text) < 1 || Integer.parseInt(text) > most) {
      throw new BadCallException("`%s` must be a whole number from 1 to %d.".formatted(name, most));
    }
    return Integer.parseInt(text);
  }

  private Optional<String> value(String name) {
    Matcher field = Pattern.compile("(?:^|&)" + Pattern.quote(name) + "=([^&]*)").matcher(query);
    try {
      return field.find()
          ? Optional.of(URLDecoder.decode(field.group(1), StandardCharsets.UTF_8))
          : Optional.empty();
    } catch (IllegalArgumentException malformed) {
      throw new BadCallException("`%s` is not encoded as it should be.".formatted(name));
    }
  }
}
