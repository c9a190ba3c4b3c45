package dev.weir.simulator.server;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A form with files, {@code multipart/form-data}: the first part of each name.
 *
 * @param parts by the name of the field
 */
record Multipart(Map<String, Part> parts) {

  private static final Pattern BOUNDARY =
      Pattern.compile(
          "(?i)multipart/form-data\\s*;.*boundary=(?:\"([^\"]{1,70})\"|([^;\\s]{1,70})).*");

  private static final Pattern NAME = Pattern.compile("(?i)[;\\s]name=\"([^\"]*)\"");
  private static final Pattern FILE_NAME = Pattern.compile("(?i)[;\\s]filename=\"([^\"]*)\"");

  private static final int MOST_PARTS = 50;
  private static final byte[] LINE = {'\r', '\n'};
  private static final byte[] BLANK_LINE = {'\r', '\n', '\r', '\n'};

  /**
   * @param fileName empty if it is no file
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Part(String fileName, byte[] body) {

    String text() {
      return new String(body, StandardCharsets.UTF_8);
    }
  }

  /**
   * @throws BadCallException if it is not such a form
   */
  static Multipart read(String contentType, byte[] body) {
    Matcher boundary = BOUNDARY.matcher(contentType);
    if (!boundary.matches()) {
      throw new BadCallException("The body must be multipart/form-data with a boundary.");
    }
    String word = boundary.group(1) == null ? boundary.group(2) : boundary.group(1);
    byte[] delimiter = ("--" + word).getBytes(StandardCharsets.ISO_8859_1);
    Map<String, Part> parts = new LinkedHashMap<>();
    int begin = find(body, delimiter, 0);
    while (begin >= 0 && parts.size() < MOST_PARTS) {
      int head = begin + delimiter.length;
      int end = find(body, delimiter, head);
      if (end < 0) {
        break;
      }
      read(body, head, end - LINE.length, parts);
      begin = end;
    }
    if (begin < 0 || !startsWith(body, begin + delimiter.length, "--")) {
      throw new BadCallException("The form of the body does not end as its boundary says.");
    }
    return new Multipart(parts);
  }

  Optional<Part> part(String name) {
    return Optional.ofNullable(parts.get(name));
  }

  private static void read(byte[] body, int from, int to, Map<String, Part> parts) {
    int head = find(body, BLANK_LINE, from);
    if (head < 0 || head + BLANK_LINE.length > to + LINE.length) {
      throw new BadCallException("A part of the form has no headers.");
    }
    String headers = new String(body, from, head - from, StandardCharsets.UTF_8);
    Matcher name = NAME.matcher(headers);
    if (!name.find()) {
      throw new BadCallException("A part of the form has no name.");
    }
    Matcher fileName = FILE_NAME.matcher(headers);
    int start = Math.min(head + BLANK_LINE.length, to);
    parts.putIfAbsent(
        name.group(1),
        new Part(fileName.find() ? fileName.group(1) : "", Arrays.copyOfRange(body, start, to)));
  }

  private static int find(byte[] body, byte[] wanted, int from) {
    for (int i = from; i <= body.length - wanted.length; i++) {
      if (body[i] == wanted[0]
          && Arrays.equals(body, i, i + wanted.length, wanted, 0, wanted.length)) {
        return i;
      }
    }
    return -1;
  }

  private static boolean startsWith(byte[] body, int from, String text) {
    return from + text.length() <= body.length
        && new String(body, from, text.length(), StandardCharsets.ISO_8859_1).equals(text);
  }
}
