package dev.weir.log.inspect;

import java.io.IOException;

/** What is there is not what was written; the rest of the file may still be read. */
final class DamagedException extends IOException {

  private static final long serialVersionUID = 1;

  DamagedException(String what) {
    super(what);
  }

  DamagedException(String what, Throwable why) {
    super(what, why);
  }
}
