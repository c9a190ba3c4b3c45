package dev.weir.model;

/**
 * Is notified of every {@link CallEvent} of the models that it is given to.
 *
 * <p>The events of one call come in order and one at a time; those of different calls come
 * concurrently, on the threads that cause them. No lock is held meanwhile. A listener must be fast
 * and must not wait: a slow one delays the call. An exception of it fails no call.
 */
@FunctionalInterface
public interface CallListener {

  void on(CallEvent event);

  /** Notifies this one, then the other. */
  default CallListener and(CallListener other) {
    return event -> {
      on(event);
      other.on(event);
    };
  }
}
