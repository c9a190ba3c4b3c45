package dev.weir.eval.select;

import dev.weir.limits.LimitKey;
import dev.weir.limits.retry.Outcome;
import dev.weir.model.Adapter;
import dev.weir.model.ExchangeListener;
import dev.weir.model.Message;
import dev.weir.model.ModelName;
import dev.weir.model.Origin;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.StopReason;
import dev.weir.model.Usage;
import dev.weir.model.spi.Provider;
import dev.weir.model.spi.Surroundings;
import dev.weir.simulator.SimulatedProvider;
import dev.weir.time.Time;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

/**
 * Simulated models whose calls are counted, all together: {@code counted/x:accuracy=0.9,rpm=0}, or
 * {@code dear/x} for a provider with prices of its own.
 *
 * <p>Unlike those of the simulator, how long an answer takes and whether it fails depends on the
 * prompt alone, not on the order of calls, so that selections can be compared. Settings of its own:
 * {@code seconds=2}, a median; {@code fails=0.3}, the share of prompts that always fail; {@code
 * flaky=1}, how often each prompt fails at first; {@code away=1}, a provider that is; {@code
 * drawn=3}, answers to the same prompt are 1, 2 and so on, and of three that ask it at once the
 * first is answered last. A model called {@code judge} grades: right is an answer that has what is
 * expected in it.
 */
public final class CountedProvider implements Provider {

  /** A call that came back. */
  record Call(String model, String prompt, long began, long ended, boolean failed) {}

  private static int inFlight;
  private static int most;
  private static final List<Call> CALLS = new ArrayList<>();
  private static int begun;
  private static int credit = Integer.MAX_VALUE;
  private static boolean keyIsWrong;
  private static String refused = "";
  private static String refusedBy = "";
  // By model and prompt, how many answers were drawn.
  private static final Map<String, Integer> DRAWN = new HashMap<>();

  /** How many more calls there is money for. */
  static synchronized void credit(int calls) {
    credit = calls;
  }

  /** Until it is reset nobody is answered, at no cost. */
  static synchronized void useWrongKey() {
    keyIsWrong = true;
  }

  /** Until it is reset models whose names begin so are refused: by key, outage or rule. */
  static synchronized void refuse(String model, String why) {
    refused = model;
    refusedBy = why;
  }

  private static synchronized Optional<Response> refusal(ModelName name) {
    if (refused.isEmpty() || !name.model().startsWith(refused)) {
      return Optional.empty();
    }
    Origin origin = Origin.of(name);
    return Optional.of(
        switch (refusedBy) {
          case "key" ->
              new Response.Authentication("401: not with this key", Outcome.Reach.MODEL, origin);
          case "outage" -> new Response.Transient("503: it is away", origin);
          case "rule" -> new Response.RefusedByPolicy("400: against the rules", origin);
          default -> throw new IllegalArgumentException(refusedBy);
        });
  }

  private static synchronized boolean isKeyWrong() {
    return keyIsWrong;
  }

  /** How many answers each prompt has had that is answered by chance. */
  static synchronized Map<String, Integer> drawn() {
    return Map.copyOf(DRAWN);
  }

  /** From now on as if so many were answered. */
  static synchronized void drawn(Map<String, Integer> before) {
    DRAWN.clear();
    DRAWN.putAll(before);
  }

  private static synchronized int draw(String prompt) {
    return DRAWN.merge(prompt, 1, Integer::sum);
  }

  static synchronized void reset() {
    DRAWN.clear();
    keyIsWrong = false;
    refused = "";
    credit = Integer.MAX_VALUE;
    inFlight = 0;
    most = 0;
    begun = 0;
    CALLS.clear();
  }

  /** In flight at once. */
  static synchronized int most() {
    return most;
  }

  /** That left. */
  static synchronized int calls() {
    return begun;
  }

  static synchronized List<Call> ended() {
    return List.copyOf(CALLS);
  }

  private static synchronized boolean isPaid() {
    return credit > 0 && credit-- > 0;
  }

  private static synchronized void left() {
    inFlight++;
    begun++;
    most = Math.max(most, inFlight);
  }

  private static synchronized void back(Call call) {
    inFlight--;
    CALLS.add(call);
  }

  @Override
  public Set<String> names() {
    return Set.of("counted", "dear");
  }

  @Override
  public String help(String name) {
    return "simulated models, counted";
  }

  @Override
  public Adapter open(ModelName name, Map<String, String> arguments, Surroundings surroundings) {
    Map<String, String> settings = new LinkedHashMap<>();
    int colon = name.model().indexOf(':');
    for (String pair : colon < 0 ? new String[0] : name.model().substring(colon + 1).split(",")) {
      settings.put(pair.substring(0, pair.indexOf('=')), pair.substring(pair.indexOf('=') + 1));
    }
    var behaviour =
        new Behaviour(
            number(settings, "seconds"),
            number(settings, "fails"),
            (int) number(settings, "flaky"),
            number(settings, "away") > 0,
            (int) number(settings, "drawn"),
            name.model().startsWith("judge"));
    if (behaviour.seconds > 0) {
      settings.put("latency", "0s");
    }
    String rest =
        settings.entrySet().stream()
            .map(setting -> setting.getKey() + "=" + setting.getValue())
            .collect(Collectors.joining(","));
    String plain = colon < 0 ? name.model() : name.model().substring(0, colon);
    var simulated = new ModelName(name.provider(), rest.isEmpty() ? plain : plain + ":" + rest);
    return new Counted(
        name,
        new SimulatedProvider().open(simulated, arguments, surroundings),
        behaviour,
        surroundings.time(),
        surroundings.baseUrl().map(URI::toString).orElse(""),
        new LinkedHashMap<>(),
        new LinkedHashMap<>());
  }

  private static double number(Map<String, String> settings, String name) {
    String value = settings.remove(name);
    return value == null ? 0 : Double.parseDouble(value);
  }

  private record Behaviour(
      double seconds, double fails, int flaky, boolean isAway, int drawn, boolean judges) {}

  private record Counted(
      ModelName name,
      Adapter simulated,
      Behaviour behaviour,
      Time time,
      String endpoint,
      Map<String, Integer> failures,
      Map<String, Integer> asked)
      implements Adapter {

    @Override
    public LimitKey key() {
      return simulated.key();
    }

    @Override
    public Response exchange(Request request, ExchangeListener listener)
        throws InterruptedException {
      String prompt = String.join("\n", request.messages().stream().map(Message::text).toList());
      if (!isPaid()) {
        return new Response.QuotaExhausted(
            "the credit is used up", Outcome.Reach.ACCOUNT, Origin.of(name));
      }
      Optional<Response> refusal = refusal(name);
      if (refusal.isPresent()) {
        return refusal.get();
      }
      long began = time.nanos();
      left();
      boolean fails = isKeyWrong() || share("fails", prompt) < behaviour.fails || isFlaky(prompt);
      try {
        time.sleep(Duration.ofNanos((long) (behaviour.seconds * 1e9 * slowness(prompt))));
        if (fails) {
          return new Response.InvalidRequest(
              "400: it always fails on this", Outcome.Reach.REQUEST, Origin.of(name));
        }
        if (behaviour.isAway) {
          return new Response.Transient("503: it is away", Origin.of(name));
        }
        if (behaviour.drawn > 0) {
          return reply(Integer.toString(draw(name + prompt)), 2);
        }
        return behaviour.judges ? grade(prompt) : simulated.exchange(request, listener);
      } finally {
        back(new Call(name.model(), prompt, began, time.nanos(), fails));
      }
    }

    private double slowness(String prompt) {
      if (behaviour.drawn == 0) {
        return 0.5 + share("takes", prompt);
      }
      synchronized (asked) {
        return Math.max(1, behaviour.drawn + 1 - asked.merge(prompt, 1, Integer::sum));
      }
    }

    private Response reply(String text, int inputTokens) {
      return new Response.Reply(
          Message.assistant(text), StopReason.STOP, new Usage(inputTokens, 1), Origin.of(name));
    }

    private boolean isFlaky(String prompt) {
      synchronized (failures) {
        return failures.merge(prompt, 1, Integer::sum) <= behaviour.flaky;
      }
    }

    /** From 0 to 1, the same for the same prompt. */
    private double share(String what, String prompt) {
      return new SplittableRandom((what + name.model() + prompt).hashCode()).nextDouble();
    }

    /** What is expected begins with "=" and stands in the prompt anyway. */
    private Response grade(String prompt) {
      int expected = prompt.indexOf('=');
      int end = expected + 1;
      while (end < prompt.length() && Character.isDigit(prompt.charAt(end))) {
        end++;
      }
      boolean isRight = prompt.indexOf(prompt.substring(expected, end), end) >= 0;
      return reply("GRADE: " + (isRight ? "C" : "I"), 1);
    }
  }
}
