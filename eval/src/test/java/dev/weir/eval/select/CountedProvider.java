package dev.weir.eval.select;

import dev.weir.limits.LimitKey;
import dev.weir.model.Adapter;
import dev.weir.model.ExchangeListener;
import dev.weir.model.ModelName;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.spi.Provider;
import dev.weir.model.spi.Surroundings;
import dev.weir.simulator.SimulatedProvider;
import java.util.Map;
import java.util.Set;

/** Simulated models whose calls are counted, all together: {@code counted/x:accuracy=0.9}. */
public final class CountedProvider implements Provider {

  private static int inFlight;
  private static int most;
  private static int calls;

  static synchronized void reset() {
    inFlight = 0;
    most = 0;
    calls = 0;
  }

  static synchronized int most() {
    return most;
  }

  static synchronized int calls() {
    return calls;
  }

  private static synchronized void left() {
    inFlight++;
    calls++;
    most = Math.max(most, inFlight);
  }

  private static synchronized void back() {
    inFlight--;
  }

  @Override
  public Set<String> names() {
    return Set.of("counted");
  }

  @Override
  public String help(String name) {
    return "simulated models, counted";
  }

  @Override
  public Adapter open(ModelName name, Map<String, String> arguments, Surroundings surroundings) {
    Adapter simulated = new SimulatedProvider().open(name, arguments, surroundings);
    return new Adapter() {
      @Override
      public LimitKey key() {
        return simulated.key();
      }

      @Override
      public Response exchange(Request request, ExchangeListener listener)
          throws InterruptedException {
        left();
        try {
          return simulated.exchange(request, listener);
        } finally {
          back();
        }
      }
    };
  }
}
