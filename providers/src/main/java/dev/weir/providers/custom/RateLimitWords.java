package dev.weir.providers.custom;

import java.util.List;
import java.util.regex.Pattern;

/**
 * Finds out whether an error speaks of a rate limit.
 *
 * <p>It does if it says rate limit or too many requests as words, which may be written with blanks,
 * hyphens, underscores or in one ({@code rate_limit_exceeded}, {@code RateLimitError}). A 429 can
 * be anything, such as a line of a program: it counts only right beside a word for a status ({@code
 * HTTP_429}, {@code status=429}, {@code 429 Client Error}), before words for a quota, or where the
 * error begins with it and says little else ({@code 429: slow down}). It never does if it is a part
 * of another number ({@code 14290}, {@code 1.429}) or of a name ({@code id-429abc}), has a unit
 * right behind it ({@code 429ms}), or numbers a line.
 */
final class RateLimitWords {

  /** What follows a number that is not over: a digit after a point, a name after a hyphen. */
  private static final String NUMBER_ENDS = "(?![\\p{L}\\p{N}_%]|[.,:/]\\p{N}|-[\\p{L}\\p{N}])";

  private static final String NUMBER_BEGINS = "(?<![\\p{L}\\p{N}_.,#$€+/-]|\\p{N}:|(?i:lines?)\\s)";

  private static final String STATUS_WORD =
      "(?:(?<![\\p{L}\\p{N}])(?i:https?|status|error|err|code)"
          // The end of a name: ClientResponseError, statusCode.
          + "|(?<=\\p{L})(?:Status|Error|Code)|(?<=(?i:http|status|error))(?i:status|error|code))";

  private static final List<Pattern> WORDS =
      List.of(
          Pattern.compile("^[\\s\"'(\\[]*429[\\s\"')\\].!?]*$"),
          Pattern.compile("^[\\s\"'(\\[]*429[\"')\\]]*(?:\\s*:|\\s+-|[ \\t]*\\R)(?!\\p{N})"),
          Pattern.compile(
              STATUS_WORD
                  + "(?:/\\d(?:\\.\\d)?)?(?i:\\s(?:is|was|of))?[\\s_:/=#\"'(\\[-]{0,4}429"
                  + NUMBER_ENDS),
          Pattern.compile(
              NUMBER_BEGINS
                  + "429[\"')\\]]?\\s(?i:client\\s|http\\s)?(?i:error|status)(?![\\p{L}\\p{N}])"),
          Pattern.compile(
              NUMBER_BEGINS + "429" + NUMBER_ENDS + "[^\\n]{0,80}?(?i:quota|exhausted|throttl)"),
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
