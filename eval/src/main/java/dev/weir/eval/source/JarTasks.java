package dev.weir.eval.source;

import dev.weir.eval.dataset.InputFile;
import dev.weir.model.ConfigurationException;
import java.io.IOException;
import java.io.InputStream;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.zip.ZipException;

/** The classes of a jar that make tasks. */
final class JarTasks {

  private static final int MOST_CLASSES = 100_000;
  private static final int LARGEST_CLASS = 16 << 20;

  private JarTasks() {}

  /**
   * @throws ConfigurationException if it is no jar
   */
  static List<AnnotatedMethods> scan(Path jar) {
    InputFile.requireFile(jar, "a jar");
    if (!Files.exists(jar)) {
      throw InputFile.unreadable(jar, new NoSuchFileException(jar.toString()));
    }
    try (var open = new JarFile(jar.toFile(), false)) {
      List<JarEntry> entries =
          open.stream()
              .filter(JarTasks::isClass)
              .sorted(Comparator.comparing(JarEntry::getName))
              .limit(MOST_CLASSES + 1L)
              .toList();
      if (entries.size() > MOST_CLASSES) {
        throw new ConfigurationException(
            "%s has more than %s classes; put the tasks into a jar of their own"
                .formatted(jar, MOST_CLASSES));
      }
      List<AnnotatedMethods> found = new ArrayList<>();
      for (JarEntry entry : entries) {
        AnnotatedMethods.in(bytes(jar, open, entry)).ifPresent(found::add);
      }
      return found;
    } catch (ZipException | IllegalArgumentException broken) {
      throw new ConfigurationException(
          "%s is not a jar, or it is damaged: %s".formatted(jar, broken.getMessage()), broken);
    } catch (IOException unreadable) {
      throw InputFile.unreadable(jar, unreadable);
    }
  }

  /** Its classes, and those of the jars that its manifest names; those of Weir win over both. */
  @SuppressWarnings("resource") // open as long as its tasks are
  static ClassLoader classLoader(Path jar) {
    try {
      return new URLClassLoader(
          jar.toString(), new URL[] {jar.toUri().toURL()}, JarTasks.class.getClassLoader());
    } catch (MalformedURLException impossible) {
      throw new IllegalStateException("a file has a URL: " + jar, impossible);
    }
  }

  private static boolean isClass(JarEntry entry) {
    return entry.getName().endsWith(".class")
        && !entry.getName().startsWith("META-INF/")
        && !entry.getName().endsWith("module-info.class");
  }

  private static byte[] bytes(Path jar, JarFile open, JarEntry entry) throws IOException {
    try (InputStream content = open.getInputStream(entry)) {
      byte[] bytes = content.readNBytes(LARGEST_CLASS + 1);
      if (bytes.length > LARGEST_CLASS) {
        throw new ConfigurationException(
            "%s: %s is too large to be a class".formatted(jar, entry.getName()));
      }
      return bytes;
    }
  }
}
