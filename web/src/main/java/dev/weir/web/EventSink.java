package dev.weir.web;

import java.io.IOException;

/** Where a handler puts the events of a stream; each is sent when it is given. */
public interface EventSink {

  /**
   * Sends an event without a name, and waits until the connection has taken it.
   *
   * @param data may have several lines
   * @throws IOException if the client has gone
   */
  default void send(String data) throws IOException, InterruptedException {
    send("", data);
  }

  /**
   * Sends an event, and waits until the connection has taken it.
   *
   * @param name what kind of event it is; empty for none
   * @param data may have several lines
   * @throws IOException if the client has gone
   */
  void send(String name, String data) throws IOException, InterruptedException;

  /** An event as it stands on the wire. */
  static String format(String name, String data) {
    var text = new StringBuilder();
    if (!name.isEmpty()) {
      text.append("event: ").append(name).append('\n');
    }
    for (String line : data.split("\r\n|\r|\n", -1)) {
      text.append("data: ").append(line).append('\n');
    }
    return text.append('\n').toString();
  }
}
