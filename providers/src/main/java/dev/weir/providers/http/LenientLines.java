package dev.weir.providers.http;

import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.ParseException;
import org.apache.hc.core5.http.message.BasicHeader;
import org.apache.hc.core5.http.message.LazyLaxLineParser;
import org.apache.hc.core5.util.CharArrayBuffer;

/** Reads what servers write above a body; a header that is none is no reason to lose an answer. */
final class LenientLines extends LazyLaxLineParser {

  private static final Header NONE = new BasicHeader("x-not-a-header", "");

  @Override
  public Header parseHeader(CharArrayBuffer line) throws ParseException {
    try {
      return super.parseHeader(line);
    } catch (ParseException malformed) {
      return NONE;
    }
  }
}
