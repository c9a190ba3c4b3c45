package dev.weir.eval.sandbox;

import java.util.Locale;

/** The kinds of sandbox, from the least to the most that keeps a program apart. */
public enum SandboxType {
  /**
   * A temporary directory and limits for processes; no wall. Programs can read what the user can
   * read, and reach the network: for programs that are trusted.
   */
  LOCAL,
  /**
   * Bubblewrap: a read-only system, own processes, no network unless wanted. Linux only. What a
   * command leaves running ends with it.
   */
  BUBBLEWRAP,
  /** A container of the {@code docker} command, from an image, without network unless wanted. */
  DOCKER;

  /** As it is written in task files. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
