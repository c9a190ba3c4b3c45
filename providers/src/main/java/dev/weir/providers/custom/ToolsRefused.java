package dev.weir.providers.custom;

import dev.weir.limits.LimitKey;
import dev.weir.limits.retry.Outcome;
import dev.weir.model.ExchangeListener;
import dev.weir.model.ModelName;
import dev.weir.model.Origin;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.spi.HttpAdapter;
import dev.weir.model.spi.RawCall;
import dev.weir.model.spi.RawReply;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Does not let tools be lost on their way to a server that is not told of them. */
final class ToolsRefused implements HttpAdapter {

  private final ModelName name;
  private final HttpTemplate template;
  private final HttpAdapter adapter;
  private final String shape;

  /**
   * @param shape of the file that describes the server
   */
  ToolsRefused(ModelName name, HttpTemplate template, HttpAdapter adapter, String shape) {
    this.shape = shape;
    this.name = name;
    this.template = template;
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
    return shape;
  }

  @Override
  public Response exchange(Request request, ExchangeListener listener) throws InterruptedException {
    if (!request.tools().isEmpty() && !template.takesTools()) {
      return new Response.InvalidRequest(
          "%s takes no tools: its `body` has no {{tools}}, or its `response` no `tool_calls`"
              .formatted(name),
          Outcome.Reach.REQUEST,
          Origin.of(name));
    }
    return adapter.exchange(request, listener);
  }

  @Override
  public RawReply raw(RawCall call) throws IOException, InterruptedException {
    return adapter.raw(call);
  }

  @Override
  public Optional<Response.Failure> classify(
      int status, String statusText, Map<String, List<String>> headers, byte[] body) {
    return adapter.classify(status, statusText, headers, body);
  }
}
