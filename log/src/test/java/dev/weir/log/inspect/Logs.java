package dev.weir.log.inspect;

import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The real logs among the test resources. */
final class Logs {

  private Logs() {}

  static Path file(String name) {
    URL url = Logs.class.getResource(name);
    if (url == null) {
      throw new IllegalArgumentException("no log " + name);
    }
    try {
      return Path.of(url.toURI());
    } catch (URISyntaxException impossible) {
      throw new IllegalArgumentException(impossible);
    }
  }

  static List<Path> evals() throws IOException {
    try (Stream<Path> files = Files.list(file("epochs.eval").getParent())) {
      return files.filter(file -> file.toString().endsWith(".eval")).sorted().toList();
    }
  }

  static <T> List<T> all(Cursor<T> cursor) throws IOException {
    List<T> all = new ArrayList<>();
    try (cursor) {
      for (T next = cursor.next(); next != null; next = cursor.next()) {
        all.add(next);
      }
    }
    return all;
  }
}
