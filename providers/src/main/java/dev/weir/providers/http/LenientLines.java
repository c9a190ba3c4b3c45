package dev.weir.providers.http;

import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpVersion;
import org.apache.hc.core5.http.ParseException;
import org.apache.hc.core5.http.message.BasicHeader;
import org.apache.hc.core5.http.message.LazyLaxLineParser;
import org.apache.hc.core5.http.message.StatusLine;
import org.apache.hc.core5.util.CharArrayBuffer;

/** Reads what servers write above a body; a header that is none is no reason to lose an answer. */
final class LenientLines extends LazyLaxLineParser {

  private static final Header NONE = new BasicHeader("x-not-a-header", "");

  /** How nearly all answers begin, read once. */
  private static final String USUAL = "HTTP/1.1 200 OK";

  private static final StatusLine USUAL_STATUS = new StatusLine(HttpVersion.HTTP_1_1, 200, "OK");

  @Override
  public StatusLine parseStatusLine(CharArrayBuffer line) throws ParseException {
    return isUsual(line) ? USUAL_STATUS : super.parseStatusLine(line);
  }

  private static boolean isUsual(CharArrayBuffer line) {
    if (line.length() != USUAL.length()) {
      return false;
    }
    for (int i = 0; i < USUAL.length(); i++) {
      if (line.charAt(i) != USUAL.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  @Override
  public Header parseHeader(CharArrayBuffer line) throws ParseException {
    try {
      return super.parseHeader(line);
    } catch (ParseException malformed) {
      return NONE;
    }
  }
}
