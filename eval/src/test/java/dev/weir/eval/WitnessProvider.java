package dev.weir.eval;

import dev.weir.limits.LimitKey;
import dev.weir.model.Adapter;
import dev.weir.model.ExchangeListener;
import dev.weir.model.Message;
import dev.weir.model.ModelName;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.spi.Provider;
import dev.weir.model.spi.Surroundings;
import dev.weir.simulator.SimulatedProvider;
import dev.weir.time.Time;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Simulated models whose provider writes down by itself when each request came and left: {@code
 * witness/one}. One record for the whole JVM.
 */
public final class WitnessProvider implements Provider {

  /**
   * A request that was received.
   *
   * @param began on the clock of the run
   * @param inputTokens of the answer; 0 if it was refused or failed
   * @param outputTokens likewise
   */
  record Seen(
      String model, String prompt, long began, long ended, long inputTokens, long outputTokens) {

    long tokens() {
      return inputTokens + outputTokens;
    }
  }

  private static final List<Seen> SEEN = new ArrayList<>();

  static synchronized void reset() {
    SEEN.clear();
  }

  /** In the order in which they ended. */
  static synchronized List<Seen> seen() {
    return List.copyOf(SEEN);
  }

  private static synchronized void add(Seen seen) {
    SEEN.add(seen);
  }

  @Override
  public Set<String> names() {
    return Set.of("witness");
  }

  @Override
  public String help(String name) {
    return "for tests";
  }

  @Override
  public boolean holdsState() {
    return true;
  }

  @Override
  public Adapter open(ModelName name, Map<String, String> arguments, Surroundings surroundings) {
    return new Witness(
        name.model(),
        surroundings.time(),
        new SimulatedProvider().open(name, arguments, surroundings));
  }

  private record Witness(String model, Time time, Adapter simulated) implements Adapter {

    @Override
    public LimitKey key() {
      return simulated.key();
    }

    @Override
    public String shape(Request request) {
      return simulated.shape(request);
    }

    @Override
    public Response exchange(Request request, ExchangeListener listener)
        throws InterruptedException {
      long began = time.nanos();
      Response response = simulated.exchange(request, listener);
      boolean isAnswer = response instanceof Response.Reply;
      String prompt =
          request.messages().stream().map(Message::text).collect(Collectors.joining("\n"));
      add(
          new Seen(
              model,
              prompt,
              began,
              time.nanos(),
              isAnswer ? ((Response.Reply) response).usage().inputTokens() : 0,
              isAnswer ? ((Response.Reply) response).usage().outputTokens() : 0));
      return response;
    }
  }
}
