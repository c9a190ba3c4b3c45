package dev.weir.web;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** What all pages of Weir look like, and how they are sent. */
public final class Design {

  /** Where pages find the style sheet. */
  public static final String STYLESHEET = "/design.css";

  /** Nothing from elsewhere, and no code or style within a page. */
  private static final String POLICY =
      "default-src 'none'; img-src data:; script-src 'self'; style-src 'self'; connect-src 'self';"
          + " form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

  private Design() {}

  /** The style sheet. */
  public static Answer stylesheet() {
    return resource(Design.class, "design.css", "text/css; charset=utf-8");
  }

  /**
   * A file that comes with a program.
   *
   * @param owner the class beside which it stands
   */
  public static Answer resource(Class<?> owner, String name, String contentType) {
    try (InputStream in = owner.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("the file %s is missing from the program".formatted(name));
      }
      return Answer.body(200, contentType, in.readAllBytes());
    } catch (IOException unreadable) {
      throw new IllegalStateException("the file %s cannot be read".formatted(name), unreadable);
    }
  }

  /**
   * A page.
   *
   * @param title escaped by this
   * @param script where its code is; none if null
   * @param body of the page, inside of {@code main}; already escaped
   */
  public static Answer page(int status, String title, @Nullable String script, String body) {
    String code =
        script == null ? "" : "<script defer src=\"%s\"></script>\n".formatted(escaped(script));
    String html =
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>%s</title>
        <link rel="icon" href="data:,">
        <link rel="stylesheet" href="%s">
        %s</head>
        <body>
        <main>
        %s</main>
        </body>
        </html>
        """
            .formatted(escaped(title), STYLESHEET, code, body);
    return Answer.body(status, "text/html; charset=utf-8", html.getBytes(StandardCharsets.UTF_8))
        .with("content-security-policy", POLICY)
        // Without it, browsers send forms of the page as if they came from nowhere.
        .with("referrer-policy", "same-origin");
  }

  /** Text as HTML shows it, within elements and quoted attributes. */
  public static String escaped(String text) {
    var html = new StringBuilder(text.length() + 16);
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '&' -> html.append("&amp;");
        case '<' -> html.append("&lt;");
        case '>' -> html.append("&gt;");
        case '"' -> html.append("&quot;");
        case '\'' -> html.append("&#39;");
        default -> html.append(c);
      }
    }
    return html.toString();
  }
}
