package dev.weir.providers.http;

import dev.weir.model.Printable;
import java.util.Locale;
import java.util.regex.Pattern;

/** Words of a page or text that a server sent instead of an answer, for people. */
final class PageText {

  /** More of a page than this is not looked at. */
  private static final int LONGEST = 64 << 10;

  private static final Pattern HIDDEN =
      Pattern.compile("(?is)<!--.*?(-->|$)|<(script|style|svg|head)\\b.*?(</\\2\\s*>|$)");

  private static final Pattern TITLE = Pattern.compile("(?is)<title\\b[^>]*>([^<]*)");
  private static final Pattern TAG = Pattern.compile("<[^>]*(>|$)");
  private static final Pattern SPACE = Pattern.compile("\\s+");

  private PageText() {}

  static boolean isPage(String text) {
    String start = text.substring(0, Math.min(text.length(), 256)).strip();
    String lower = start.toLowerCase(Locale.ROOT);
    return lower.startsWith("<!doctype")
        || lower.startsWith("<html")
        || lower.startsWith("<head")
        || lower.startsWith("<?xml")
        || lower.startsWith("<!--")
        || lower.startsWith("<body");
  }

  /** One line of at most so many characters; a page without its markup. */
  static String line(String text, int longest) {
    String start = text.substring(0, Math.min(text.length(), LONGEST));
    String words = Printable.line(isPage(start) ? words(start) : start.strip()).strip();
    if (words.length() <= longest) {
      return words;
    }
    // Not between the halves of one character.
    int end = Character.isHighSurrogate(words.charAt(longest - 1)) ? longest - 1 : longest;
    return words.substring(0, end) + "…";
  }

  private static String words(String page) {
    var title = TITLE.matcher(page);
    String heading = title.find() ? title.group(1).strip() : "";
    String body = TAG.matcher(HIDDEN.matcher(page).replaceAll(" ")).replaceAll(" ");
    String text = SPACE.matcher(body).replaceAll(" ").strip();
    String whole = text.startsWith(heading) ? text : heading + ": " + text;
    return whole
        .replace("&nbsp;", " ")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&amp;", "&");
  }
}
