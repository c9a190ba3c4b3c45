package dev.weir.limits.example;

import dev.weir.limits.Attempt;
import dev.weir.limits.Call;
import dev.weir.limits.Demand;
import dev.weir.limits.Lane;
import dev.weir.limits.Permit;
import dev.weir.limits.header.BodyHints;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.header.ResponseFactsParser;
import dev.weir.limits.pace.Cost;
import dev.weir.limits.retry.Outcome;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Instant;

/** Asks a chat API as fast as its limits allow; as many threads as you like may use one. */
final class ChatClient {

  private final HttpClient http = HttpClient.newHttpClient();
  private final URI address;
  private final Lane lane;

  ChatClient(URI address, Lane lane) {
    this.address = address;
    this.lane = lane;
  }

  String ask(String body) throws InterruptedException {
    var estimate = new Cost(body.length() / 4.0, 500); // tokens in, tokens out: a guess will do
    Call<String> call =
        lane.call(Demand.of("my-program", estimate), permit -> attempt(permit, body, estimate));
    if (!(call.outcome() instanceof Outcome.Clean)) {
      throw new IllegalStateException("no answer: " + call.value());
    }
    return call.value();
  }

  /** One exchange: no waiting, no retry. What comes back decides what the lane does next. */
  private Attempt.Result<String> attempt(Permit permit, String body, Cost estimate)
      throws InterruptedException {
    HttpResponse<String> response;
    try {
      response =
          http.send(
              HttpRequest.newBuilder(address)
                  .POST(HttpRequest.BodyPublishers.ofString(body))
                  .build(),
              HttpResponse.BodyHandlers.ofString());
    } catch (IOException broken) {
      return new Attempt.Result<>(new Outcome.Transient(), estimate, broken.toString());
    }
    ResponseFacts facts =
        ResponseFactsParser.parse(response.headers().map(), BodyHints.NONE, Instant.now());
    Outcome outcome =
        switch (response.statusCode()) {
          case 200 -> {
            permit.observe(facts); // answers advertise the quota, too
            yield new Outcome.Clean();
          }
          case 429 -> new Outcome.RateLimited(facts);
          case 529 -> new Outcome.Overloaded(facts);
          case 401, 402, 403 ->
              new Outcome.Terminal(Outcome.Reach.ACCOUNT, "no access, or no credit");
          case 400, 404, 413, 422 -> new Outcome.Terminal(Outcome.Reach.REQUEST, "a bad request");
          default -> new Outcome.Transient();
        };
    // Better: the `usage` of the answer.
    var used = new Cost(estimate.inputTokens(), response.body().length() / 4.0);
    return new Attempt.Result<>(outcome, used, response.body());
  }
}
