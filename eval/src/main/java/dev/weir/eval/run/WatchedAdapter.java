package dev.weir.eval.run;

import dev.weir.limits.LimitKey;
import dev.weir.model.Adapter;
import dev.weir.model.Request;
import java.util.OptionalInt;

/** An adapter whose exchanges somebody watches; all else is that of the other. */
abstract class WatchedAdapter implements Adapter {

  final Adapter adapter;

  WatchedAdapter(Adapter adapter) {
    this.adapter = adapter;
  }

  @Override
  public LimitKey key() {
    return adapter.key();
  }

  @Override
  public String endpoint() {
    return adapter.endpoint();
  }

  @Override
  public String shape(Request request) {
    return adapter.shape(request);
  }

  @Override
  public boolean isLimited() {
    return adapter.isLimited();
  }

  @Override
  public OptionalInt maxTokens(Request request) {
    return adapter.maxTokens(request);
  }
}
