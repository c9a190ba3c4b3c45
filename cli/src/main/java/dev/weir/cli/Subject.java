package dev.weir.cli;

import java.util.List;

/** What a display shows. Asked by one task. */
interface Subject {

  /** What it is about, once, where there are only lines. */
  List<String> opening();

  /** A picture that fits into so many columns and rows. */
  List<String> picture(int columns, int rows);

  /** How it goes, in a few lines that stay. */
  List<String> lines();
}
