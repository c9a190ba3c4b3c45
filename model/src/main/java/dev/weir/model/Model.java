package dev.weir.model;

import dev.weir.limits.Attempt;
import dev.weir.limits.Call;
import dev.weir.limits.Demand;
import dev.weir.limits.Lane;
import dev.weir.limits.Waiting;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.pace.Cost;
import dev.weir.limits.retry.Outcome;

/** A model behind its limits. Thread-safe. */
public final class Model {

  private final ModelName name;
  private final Adapter adapter;
  private final Lane lane;
  private final TokenEstimate estimate = new TokenEstimate();

  public Model(ModelName name, Adapter adapter, Lane lane) {
    this.name = name;
    this.adapter = adapter;
    this.lane = lane;
  }

  public ModelName name() {
    return name;
  }

  /**
   * Asks the model, waiting and retrying as its limits say; the value is the last response.
   *
   * @param demand its estimate is replaced by that of the request
   */
  public Call<Response> generate(Request request, Demand demand) throws InterruptedException {
    return lane.call(
        demand.with(estimate.of(request)),
        permit -> {
          Response response = adapter.exchange(request, permit::observe);
          if (response instanceof Response.Reply(_, Usage usage)) {
            estimate.learn(usage);
          }
          return new Attempt.Result<>(outcome(response), used(response), response);
        });
  }

  public Lane.Status status() {
    return lane.status();
  }

  /** What the next request in line waits for, and until when. */
  public Waiting waitingFor() {
    return lane.waitingFor();
  }

  /** How its calls are regulated: {@code pace}. */
  public String mode() {
    return lane.mode().word();
  }

  /** The most calls that may ever be in flight. */
  public int mostInFlight() {
    return lane.mode().mostInFlight();
  }

  /** The one place where a kind of failure becomes a reason to retry, or not. */
  private static Outcome outcome(Response response) {
    return switch (response) {
      case Response.Reply _ -> new Outcome.Clean();
      case Response.RateLimited(_, ResponseFacts facts) -> new Outcome.RateLimited(facts);
      case Response.Transient _ -> new Outcome.Transient();
      case Response.QuotaExhausted exhausted ->
          new Outcome.Terminal(Outcome.Reach.ACCOUNT, exhausted.message());
    };
  }

  private static Cost used(Response response) {
    return response instanceof Response.Reply(_, Usage usage)
        ? new Cost(usage.inputTokens(), usage.outputTokens())
        : Cost.ONE_REQUEST;
  }
}
