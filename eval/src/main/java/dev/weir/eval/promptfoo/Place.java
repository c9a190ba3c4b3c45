package dev.weir.eval.promptfoo;

import java.nio.file.Path;

/** Where something stands. Lines and columns count from 1; without a line it is the file. */
record Place(Path file, int line, int column) {

  static Place of(Path file) {
    return new Place(file, 0, 0);
  }

  static Place line(Path file, long line) {
    return new Place(file, (int) line, 1);
  }

  /** What relative paths start from. */
  Path directory() {
    Path parent = file.getParent();
    return parent == null ? Path.of("") : parent;
  }

  @Override
  public String toString() {
    return line == 0 ? file.toString() : "%s, line %d, column %d".formatted(file, line, column);
  }
}
