package dev.weir.model;

import dev.weir.limits.header.ResponseFacts;
import java.util.function.Consumer;

/** One model of one provider: makes single exchanges. Thread-safe; neither waits nor retries. */
@FunctionalInterface
public interface Adapter {

  /**
   * One exchange. Failures are values; an exception is a defect of the adapter.
   *
   * @param headers takes what the response says about limits, as soon as it is known
   */
  Response exchange(Request request, Consumer<ResponseFacts> headers) throws InterruptedException;

  /** One exchange whose headers nobody reads. */
  default Response exchange(Request request) throws InterruptedException {
    return exchange(request, _ -> {});
  }
}
