package dev.weir.providers.custom;

import java.util.List;
import java.util.regex.Pattern;

/**
 * Finds out whether an error speaks of a rate limit.
 *
 * <p>It does if it says 429, rate limit or too many requests as words. A 429 is no word if it is a
 * part of another number ({@code 14290}, {@code 1.429}, {@code 429,000}, {@code 4:29}), of a name
 * ({@code id-429abc}, {@code #429}), or has a unit right behind it ({@code 429ms}, {@code 429%});
 * right behind a word for a status it is one ({@code HTTP_429}, {@code status=429}). Words may be
 * written with blanks, hyphens, underscores or in one ({@code rate_limit_exceeded}, {@code
 * RateLimitError}).
 */
final class RateLimitWords {

  /** What follows a number that is not over: a digit after a point, a name after a hyphen. */
  private static final String NUMBER_ENDS = "(?![\\p{L}\\p{N}_%]|[.,:/]\\p{N}|-[\\p{L}\\p{N}])";

  private static final List<Pattern> WORDS =
      List.of(
          Pattern.compile("(?<![\\p{L}\\p{N}_.,#$€+/-]|\\p{N}:)429" + NUMBER_ENDS),
          Pattern.compile(
              "(?i)(?<![\\p{L}\\p{N}])(?:http|https|status|error|err|code)[ _:/=#-]{0,3}429"
                  + NUMBER_ENDS),
          // The end of one word of a name is not the end of the name: rate_limit_exceeded.
          Pattern.compile(
              "(?i)(?<![\\p{L}\\p{N}])rate[\\s_-]{0,3}limit(?:s|ed|er|ing)?(?![\\p{L}\\p{N}])"),
          Pattern.compile("(?<![A-Z])RateLimit(?:s|ed|er|ing)?(?=\\p{Lu})"),
          Pattern.compile("(?<=\\p{Ll})RateLimit(?:s|ed|er|ing)?(?!\\p{Ll})"),
          Pattern.compile(
              "(?i)(?<![\\p{L}\\p{N}])too[\\s_-]{0,3}many[\\s_-]{0,3}requests(?![\\p{L}\\p{N}])"),
          Pattern.compile("(?<![A-Z])TooManyRequests(?!\\p{Ll})"));

  private RateLimitWords() {}

  static boolean in(String text) {
    return WORDS.stream().anyMatch(words -> words.matcher(text).find());
  }
}
