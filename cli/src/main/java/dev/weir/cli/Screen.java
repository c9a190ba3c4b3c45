package dev.weir.cli;

/** The terminal that a moving display is painted on. */
interface Screen extends AutoCloseable {

  /** What terminals have had since there were terminals. */
  Screen USUAL = new Fixed(80, 24);

  /** How many characters fit into a line now. */
  int columns();

  /** How many lines there are now. */
  int rows();

  @Override
  void close();

  /** One that nobody resizes. */
  record Fixed(int columns, int rows) implements Screen {

    @Override
    public void close() {}
  }
}
