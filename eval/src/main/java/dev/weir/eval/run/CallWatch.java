package dev.weir.eval.run;

import dev.weir.model.Adapter;
import dev.weir.model.ExchangeListener;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.Usage;
import dev.weir.model.price.Price;
import dev.weir.model.price.Spend;
import java.util.Optional;

/** Is told when calls of a run leave for the provider, and when they are back. Thread-safe. */
public interface CallWatch {

  /** May throw, and the call is not made. */
  void left();

  /** What an answer took, before the call is back: nobody who waits for its place is sent yet. */
  void answered(Usage usage, Spend cost);

  void back();

  /** The same adapter, watched; answers cost what {@link PricedModel} says. */
  default Adapter watched(Adapter adapter, Optional<Price> price, boolean batched) {
    CallWatch watch = this;
    return new WatchedAdapter(adapter) {
      @Override
      public Response exchange(Request request, ExchangeListener listener)
          throws InterruptedException {
        watch.left();
        try {
          Response response = adapter.exchange(request, listener);
          if (response instanceof Response.Reply reply) {
            watch.answered(reply.usage(), PricedModel.spend(price, batched, reply));
          }
          return response;
        } finally {
          watch.back();
        }
      }
    };
  }
}
