package dev.weir.providers.http;

import dev.weir.limits.LimitKey;
import dev.weir.model.ExchangeListener;
import dev.weir.model.ModelName;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.Secret;
import dev.weir.time.Time;
import java.net.URI;
import java.time.Duration;

/** A model of the smallest API, at some address. */
final class Asked {

  static final String KEY = "sk-very-secret-key";

  /** Long enough for a busy machine, short enough for a test. */
  static final TransportSettings SETTINGS =
      new TransportSettings(Duration.ofSeconds(20), Duration.ofSeconds(20), 1 << 20);

  private Asked() {}

  static HttpModel model(URI address, Transport transport, boolean canStream) {
    return new HttpModel(
        new ModelName("plain", "one"),
        LimitKey.of("plain", "", "one"),
        address.toString(),
        new PlainWire(address, KEY, canStream),
        new Secret(KEY),
        transport,
        Time.system());
  }

  static Response ask(URI address, Transport transport) throws InterruptedException {
    return task(model(address, transport, false), ExchangeListener.NONE);
  }

  static Response stream(URI address, Transport transport) throws InterruptedException {
    return task(model(address, transport, true), ExchangeListener.NONE);
  }

  /** On a task, as in earnest. */
  private static Response task(HttpModel model, ExchangeListener listener)
      throws InterruptedException {
    return Time.system()
        .<Response>start("asks", () -> model.exchange(Request.of("a question"), listener))
        .join();
  }
}
