package dev.weir.eval.source;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The classes of one Java file. They win over those of the same name on the class path: the file is
 * what the user named. Thread-safe.
 */
final class CompiledClasses extends ClassLoader {

  static {
    registerAsParallelCapable();
  }

  private final Map<String, byte[]> classFiles;

  CompiledClasses(Map<String, byte[]> classFiles) {
    super(CompiledClasses.class.getClassLoader());
    this.classFiles = new LinkedHashMap<>(classFiles);
  }

  Collection<byte[]> classFiles() {
    return classFiles.values();
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    byte[] classFile = classFiles.get(name);
    if (classFile == null) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      return loaded == null ? defineClass(name, classFile, 0, classFile.length) : loaded;
    }
  }
}
