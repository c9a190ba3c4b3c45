package dev.weir.eval.run;

/** The run ends, and the sample with it: it was not finished, and has not failed. */
final class StoppedRunException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  StoppedRunException(String why) {
    super(why);
  }
}
