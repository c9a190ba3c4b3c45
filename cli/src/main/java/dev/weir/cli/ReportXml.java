package dev.weir.cli;

import dev.weir.model.Printable;
import java.io.Writer;
import java.util.List;
import java.util.Map;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/** Writes the XML of a JUnit file: whatever texts hold, it can be read. Not thread-safe. */
final class ReportXml {

  private static final int LONGEST_TEXT = 2_000;

  private final XMLStreamWriter xml;

  ReportXml(Writer out) throws XMLStreamException {
    xml = XMLOutputFactory.newDefaultFactory().createXMLStreamWriter(out);
    xml.writeStartDocument("UTF-8", "1.0");
  }

  void start(String element, Map<String, String> attributes) throws XMLStreamException {
    if (element.equals("testsuite") || element.equals("testcase")) {
      xml.writeCharacters("\n");
    }
    xml.writeStartElement(element);
    for (String name : List.of("classname", "name", "time", "message", "type")) {
      String value = attributes.get(name);
      if (value != null) {
        attribute(name, value);
      }
    }
  }

  void end() throws XMLStreamException {
    xml.writeEndElement();
  }

  void attribute(String name, String value) throws XMLStreamException {
    xml.writeAttribute(name, permitted(Printable.line(cut(value))));
  }

  void text(String text) throws XMLStreamException {
    xml.writeCharacters(permitted(text));
  }

  /** Ends all that was started. */
  void close() throws XMLStreamException {
    xml.writeEndDocument();
    xml.flush();
  }

  static String cut(String text) {
    return text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT) + "…";
  }

  /** XML has no way to write most control characters, nor half a character. */
  private static String permitted(String text) {
    var permitted = new StringBuilder(text.length());
    text.codePoints()
        .forEach(
            c -> {
              boolean isPermitted =
                  c == '\t'
                      || c == '\n'
                      || (c >= 0x20 && c <= 0xD7FF)
                      || (c >= 0xE000 && c <= 0xFFFD)
                      || c >= 0x10000;
              permitted.appendCodePoint(isPermitted ? c : c == '\r' ? '\n' : 0xFFFD);
            });
    return permitted.toString();
  }
}
