package dev.weir.eval.sandbox;

import dev.weir.eval.sandbox.SandboxFileException.Reason;

/** Paths of a sandbox whose root is the root of a file system of its own: nothing is outside. */
final class InnerPath {

  private InnerPath() {}

  static String resolve(String directory, String path, String attempt) throws SandboxFileException {
    if (path.indexOf('\0') >= 0) {
      throw new SandboxFileException(Reason.NOT_FOUND, attempt, path);
    }
    return path.startsWith("/") ? path : directory + "/" + path;
  }
}
