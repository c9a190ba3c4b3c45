package dev.weir.simulator.provider;

/**
 * A request that a provider has admitted.
 *
 * <p>Belongs to the {@link ProviderModel} that made it; finished exactly once.
 */
public final class Work {

  private final Request request;
  private final Response.Answer answer;
  private boolean serving;

  Work(Request request, QuotaHeaders quota) {
    this.request = request;
    this.answer = new Response.Answer(quota, request.usedTokens());
  }

  public Request request() {
    return request;
  }

  /** What the client receives when the work is finished. */
  public Response.Answer answer() {
    return answer;
  }

  void begin() {
    serving = true;
  }

  void end() {
    if (!serving) {
      throw new IllegalStateException(
          "cannot finish request %d: it is not being served".formatted(request.id()));
    }
    serving = false;
  }
}
