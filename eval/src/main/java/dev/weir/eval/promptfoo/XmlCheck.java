package dev.weir.eval.promptfoo;

import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.xml.XMLConstants;
import javax.xml.parsers.ParserConfigurationException;
import javax.xml.parsers.SAXParserFactory;
import org.xml.sax.Attributes;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;
import org.xml.sax.helpers.DefaultHandler;

/** The assertion {@code is-xml}: well-formed, and with the elements that must be there. */
final class XmlCheck {

  private XmlCheck() {}

  /**
   * @param elements paths such as {@code a.b.c}: a list, or a text with commas
   */
  static Check isXml(Optional<Value> elements) {
    return (answer, _) -> {
      List<String> wanted = new ArrayList<>();
      for (Value value : elements.map(Value::oneOrMore).orElse(List.of())) {
        wanted.addAll(TextChecks.split(answer.fill(value.text().orElse(""))));
      }
      try {
        Set<String> found = paths(answer.text().strip());
        List<String> missing = wanted.stream().filter(path -> !found.contains(path)).toList();
        return missing.isEmpty()
            ? Verdict.of(true, 1, "")
            : Verdict.wrong("the XML lacks " + String.join(", ", missing));
      } catch (SAXException malformed) {
        return Verdict.wrong("the output is no XML: " + malformed.getMessage());
      }
    };
  }

  /** Where elements are. Nothing outside of the text is ever read. */
  private static Set<String> paths(String text) throws SAXException {
    Set<String> paths = new HashSet<>();
    Deque<String> open = new ArrayDeque<>();
    try {
      SAXParserFactory factory = SAXParserFactory.newInstance();
      factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
      factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
      factory
          .newSAXParser()
          .parse(
              new InputSource(new StringReader(text)),
              new DefaultHandler() {
                @Override
                public void startElement(
                    String uri, String local, String name, Attributes attributes) {
                  String path = open.isEmpty() ? name : open.getLast() + "." + name;
                  open.addLast(path);
                  paths.add(path);
                }

                @Override
                public void endElement(String uri, String local, String name) {
                  open.removeLast();
                }

                @Override
                public void fatalError(org.xml.sax.SAXParseException broken) throws SAXException {
                  throw broken;
                }
              });
    } catch (ParserConfigurationException | IOException impossible) {
      throw new IllegalStateException("XML cannot be read: " + impossible, impossible);
    }
    return paths;
  }
}
