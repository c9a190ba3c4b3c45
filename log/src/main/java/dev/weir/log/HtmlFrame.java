package dev.weir.log;

import java.io.IOException;
import java.io.InputStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;

/**
 * What all pages that Weir writes have in common: one look, light or dark as the reader likes it;
 * nothing is loaded from elsewhere, and no text of others can act.
 */
public final class HtmlFrame {

  /** Only what stands in the page itself may style it, and nothing may run. */
  private static final String POLICY = "default-src 'none'; style-src 'unsafe-inline'";

  private HtmlFrame() {}

  /**
   * Begins a page.
   *
   * @param title is escaped here
   * @param style beside what is common
   */
  public static void begin(Writer out, String title, String style) throws IOException {
    out.write("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n");
    out.write("<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n".formatted(POLICY));
    out.write("<meta name=\"viewport\" content=\"width=device-width\">");
    out.write("<title>" + escaped(title) + "</title>\n");
    out.write("<style>\n" + resource(HtmlFrame.class, "export.css") + style + "</style></head>");
    out.write("<body>\n");
  }

  public static void end(Writer out) throws IOException {
    out.write("</body></html>\n");
  }

  /** Text that is nothing but text, in an element or an attribute. */
  public static String escaped(String text) {
    var escaped = new StringBuilder(text.length());
    text.codePoints()
        .forEach(
            c -> {
              switch (c) {
                case '&' -> escaped.append("&amp;");
                case '<' -> escaped.append("&lt;");
                case '>' -> escaped.append("&gt;");
                case '"' -> escaped.append("&quot;");
                case '\'' -> escaped.append("&#39;");
                default -> {
                  boolean isText =
                      (c >= 0x20 && c != 0x7f && !(c >= 0xd800 && c <= 0xdfff))
                          || c == '\n'
                          || c == '\t';
                  escaped.appendCodePoint(isText ? c : 0xfffd);
                }
              }
            });
    return escaped.toString();
  }

  /** A text that is part of the program, beside a class. */
  public static String resource(Class<?> beside, String name) throws IOException {
    try (InputStream in = beside.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException(name + " is missing from the program");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
