package dev.weir.eval.sandbox;

import java.nio.file.Path;

/** What a file of a sandbox is made of before the sample begins. */
public sealed interface SandboxFile {

  /** The content itself, as UTF-8. */
  record Text(String content) implements SandboxFile {

    @Override
    public String toString() {
      return "Text[%d characters]".formatted(content.length());
    }
  }

  /** A copy of a file of this machine, or of all files of a directory. */
  record Copy(Path source) implements SandboxFile {}
}
