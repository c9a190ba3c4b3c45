package dev.weir.providers.http;

import java.io.IOException;

/** A response is larger than anybody expects of an answer. */
final class TooLargeException extends IOException {

  private static final long serialVersionUID = 1L;

  TooLargeException(long most) {
    super("the response is larger than %d MiB".formatted(most >> 20));
  }
}
