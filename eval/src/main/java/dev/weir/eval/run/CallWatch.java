package dev.weir.eval.run;

import dev.weir.model.Adapter;
import dev.weir.model.ExchangeListener;
import dev.weir.model.Request;
import dev.weir.model.Response;

/** Is told when calls of a run leave for the provider, and when they are back. Thread-safe. */
public interface CallWatch {

  /** Nobody needs to know. */
  CallWatch NONE =
      new CallWatch() {
        @Override
        public void left() {}

        @Override
        public void back() {}
      };

  /** May throw, and the call is not made. */
  void left();

  void back();

  /** The same adapter, watched. */
  default Adapter watched(Adapter adapter) {
    CallWatch watch = this;
    return new WatchedAdapter(adapter) {
      @Override
      public Response exchange(Request request, ExchangeListener listener)
          throws InterruptedException {
        watch.left();
        try {
          return adapter.exchange(request, listener);
        } finally {
          watch.back();
        }
      }
    };
  }
}
