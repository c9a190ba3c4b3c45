package dev.weir.providers.http;

import dev.weir.limits.LimitKey;
import dev.weir.model.ExchangeListener;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.batch.BatchAdapter;
import dev.weir.model.batch.BatchApi;
import dev.weir.model.spi.HttpAdapter;
import dev.weir.model.spi.RawCall;
import dev.weir.model.spi.RawReply;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** A model that is asked over HTTP, and also takes batches. */
public record HttpBatchModel(HttpModel model, BatchApi batches)
    implements HttpAdapter, BatchAdapter {

  @Override
  public LimitKey key() {
    return model.key();
  }

  @Override
  public String endpoint() {
    return model.endpoint();
  }

  @Override
  public OptionalInt maxTokens(Request request) {
    return model.maxTokens(request);
  }

  @Override
  public Response exchange(Request request, ExchangeListener listener) throws InterruptedException {
    return model.exchange(request, listener);
  }

  @Override
  public RawReply raw(RawCall call) throws IOException, InterruptedException {
    return model.raw(call);
  }

  @Override
  public Optional<Response.Failure> classify(
      int status, String statusText, Map<String, List<String>> headers, byte[] body) {
    return model.classify(status, statusText, headers, body);
  }
}
