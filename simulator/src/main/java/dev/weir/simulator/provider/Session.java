package dev.weir.simulator.provider;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/** What one process of a simulation has: its requests, the provider, a loop and chance. */
public final class Session {

  private final Drive drive;
  private final List<Request> requests;
  private final RandomGenerator random;

  Session(Drive drive, List<Request> requests, RandomGenerator random) {
    this.drive = drive;
    this.requests = List.copyOf(requests);
    this.random = random;
  }

  public EventLoop loop() {
    return drive.loop();
  }

  /** What is to be done, in the order in which it is wanted; each not before its time. */
  public List<Request> requests() {
    return requests;
  }

  /** Sends a request; the callback may never come, if the call hangs. */
  public void send(Request request, Consumer<Response> callback) {
    drive.link().send(request, callback);
  }

  /** The headers of a response that has just arrived, if the provider writes any. */
  public Optional<Map<String, String>> headers(Response response) {
    return drive.headers(response);
  }

  /** An answer to the request was received and kept. */
  public void done(Request request) {
    drive.end(request, true);
  }

  /** The request will not be sent again, though it has no answer. */
  public void giveUp(Request request) {
    drive.end(request, false);
  }

  /** Seeded, and different for each process. */
  public RandomGenerator random() {
    return random;
  }

  /** The provider's state, for an oracle. */
  ProviderModel model() {
    return drive.model();
  }
}
