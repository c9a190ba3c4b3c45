package dev.weir.model;

/** One model of one provider: makes single exchanges. Thread-safe; neither waits nor retries. */
@FunctionalInterface
public interface Adapter {

  /** One exchange. Failures are values; an exception is a defect of the adapter. */
  Response exchange(Request request) throws InterruptedException;
}
