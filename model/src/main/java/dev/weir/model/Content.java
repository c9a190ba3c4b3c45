package dev.weir.model;

import java.util.Locale;

/** A part of what a user, or a tool, says. */
public sealed interface Content {

  record Text(String text) implements Content {}

  /**
   * An image.
   *
   * @param url where it is, or the image itself: {@code data:image/png;base64,…}
   */
  record Image(String url) implements Content {

    private static final String DATA = "data:";
    private static final String BASE64 = ";base64,";

    public Image {
      boolean isWeb = url.startsWith("https://") || url.startsWith("http://");
      if (!isWeb && !(url.startsWith(DATA) && url.indexOf(BASE64) > DATA.length())) {
        throw new IllegalArgumentException(
            "`url` must be an http(s) address or data:TYPE;base64,…, was '%s'"
                .formatted(url.substring(0, Math.min(url.length(), 40))));
      }
    }

    /**
     * @param mediaType such as {@code image/png}
     */
    public static Image data(String mediaType, String base64) {
      return new Image(DATA + mediaType + BASE64 + base64);
    }

    /** Whether the image is here, not only its address. */
    public boolean isData() {
      return url.startsWith(DATA);
    }

    /**
     * Such as {@code image/png}, as it is registered and without parameters; only of an image that
     * is here.
     */
    public String mediaType() {
      String written = url.substring(DATA.length(), url.indexOf(BASE64));
      int parameters = written.indexOf(';');
      String type =
          (parameters < 0 ? written : written.substring(0, parameters))
              .strip()
              .toLowerCase(Locale.ROOT);
      return type.equals("image/jpg") ? "image/jpeg" : type;
    }

    /** Only of an image that is here. */
    public String base64() {
      return url.substring(url.indexOf(BASE64) + BASE64.length());
    }
  }
}
