package dev.weir.eval;

import dev.weir.limits.LimitKey;
import dev.weir.model.Adapter;
import dev.weir.model.ConfigurationException;
import dev.weir.model.ExchangeListener;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.engine.FileVariables;
import java.util.Map;
import java.util.OptionalInt;

/**
 * A model whose credential stands in a file. If it is rejected, and the file holds another by then,
 * the same exchange is made once more with that. Its limits stay those of the account that it began
 * with. Thread-safe.
 */
final class RotatedCredential implements Adapter {

  private final FileVariables.Followed files;
  private final Opening opening;
  private final Adapter first;
  // Written under the lock.
  private volatile Opened opened;

  /** Opens the model with the variables as they are. */
  interface Opening {

    /**
     * @throws ConfigurationException if they hold no credential that can be used
     */
    Adapter open(Map<String, String> environment);
  }

  private record Opened(Map<String, String> environment, Adapter adapter) {}

  private RotatedCredential(
      FileVariables.Followed files,
      Map<String, String> environment,
      Adapter first,
      Opening opening) {
    this.files = files;
    this.opening = opening;
    this.first = first;
    this.opened = new Opened(environment, first);
  }

  /** The same adapter, if no credential stands in a file. */
  static Adapter followed(Adapter adapter, Map<String, String> environment, Opening opening) {
    FileVariables.Followed files = FileVariables.followed(environment);
    return files.isEmpty() ? adapter : new RotatedCredential(files, environment, adapter, opening);
  }

  @Override
  public LimitKey key() {
    return first.key();
  }

  @Override
  public String endpoint() {
    return first.endpoint();
  }

  @Override
  public String shape(Request request) {
    return first.shape(request);
  }

  @Override
  public OptionalInt maxTokens(Request request) {
    return first.maxTokens(request);
  }

  @Override
  public boolean isLimited() {
    return first.isLimited();
  }

  @Override
  public Response exchange(Request request, ExchangeListener listener) throws InterruptedException {
    Opened used = opened;
    Response response = used.adapter.exchange(request, listener);
    if (!(response instanceof Response.Authentication)) {
      return response;
    }
    Opened newer = newerThan(used);
    return newer.equals(used) ? response : newer.adapter.exchange(request, listener);
  }

  private synchronized Opened newerThan(Opened used) {
    if (!opened.equals(used)) {
      // Another call has read it meanwhile.
      return opened;
    }
    try {
      Map<String, String> now = files.read(used.environment);
      if (!now.equals(used.environment)) {
        opened = new Opened(now, opening.open(now));
      }
    } catch (ConfigurationException unusable) {
      // Perhaps it is being written: the rejection stands.
    }
    return opened;
  }
}
