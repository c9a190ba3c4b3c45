package dev.weir.providers.http;

import java.io.IOException;
import org.apache.hc.core5.util.Timeout;

/** The connection that a response comes in. Not thread-safe. */
interface ReplyConnection {

  /** How long the next bytes are waited for, at most. */
  void timeout(Timeout timeout);

  /** Some bytes have come. */
  default void heard() {}

  /** What it means that no more can be read. */
  default IOException meaning(IOException failed) {
    return failed;
  }

  /** The response was read to its end: the next call may have the connection. */
  void end();

  /** Closes the connection, unless the response has ended: nobody wants the rest. */
  void discard();
}
