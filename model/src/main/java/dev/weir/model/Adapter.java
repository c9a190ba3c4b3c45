package dev.weir.model;

import dev.weir.limits.LimitKey;
import java.util.OptionalInt;

/** One model of one provider: makes single exchanges. Thread-safe; neither waits nor retries. */
public interface Adapter {

  /** What its limits belong to. */
  LimitKey key();

  /**
   * Where requests go, as far as that shapes the answers: the base address of a server. Part of the
   * key of a cached answer; empty if there is but one place.
   */
  default String endpoint() {
    return "";
  }

  /**
   * What else shapes the answer to a request and is seen neither in the request nor in the model's
   * name and arguments: the contents of a file that describes the model. Part of the key of a
   * cached answer; empty if there is nothing. Never a credential.
   */
  default String shape(Request request) {
    return "";
  }

  /**
   * The most tokens that an answer may have, as the provider is told: what the request says, or
   * what the adapter says in its place. Some providers take as much from a quota at the start.
   */
  default OptionalInt maxTokens(Request request) {
    return request.settings().maxTokens();
  }

  /**
   * Whether a provider may limit how many calls are made: its pace has to be found, then. A model
   * that answers within this process has nobody to be refused by.
   */
  default boolean isLimited() {
    return true;
  }

  /** One exchange. Failures are values; an exception is a defect of the adapter. */
  Response exchange(Request request, ExchangeListener listener) throws InterruptedException;

  /** One exchange to whose course nobody listens. */
  default Response exchange(Request request) throws InterruptedException {
    return exchange(request, ExchangeListener.NONE);
  }
}
