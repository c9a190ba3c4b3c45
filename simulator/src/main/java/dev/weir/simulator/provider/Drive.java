package dev.weir.simulator.provider;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/** One simulation: a client in one or several processes, a network and a provider. */
final class Drive {

  /** Ends the simulation of a client that gets nowhere. */
  static final Duration LONGEST = Duration.ofSeconds(20_000);

  /** Any moment will do, as long as it is not the beginning of a second. */
  private static final Instant STARTED_AT = Instant.parse("2026-01-05T10:20:30.350Z");

  private final EventLoop loop = new EventLoop();
  private final ProviderModel model;
  private final Link link;
  private final Optional<Advertiser> advertiser;
  private final List<Request> requests;
  private final Duration end;
  private final SplittableRandom random;
  private final BitSet ended = new BitSet();
  private int done;
  private int gaveUp;
  private long endedAt;

  Drive(ProviderSettings settings, List<Request> requests, long seed) {
    this(settings, AdmissionRule.NONE, requests, LONGEST, seed);
  }

  Drive(
      ProviderSettings settings,
      AdmissionRule rule,
      List<Request> requests,
      Duration end,
      long seed) {
    random = new SplittableRandom(seed);
    model = new ProviderModel(settings, rule, random.nextLong());
    link = new Link(loop, model, settings.oneWayDelay().toNanos(), random.split());
    this.requests = requests;
    this.end = end;
    advertiser =
        settings.advertising().as().map(as -> new Advertiser(as, settings, STARTED_AT, seed));
  }

  /**
   * Deals the requests out to so many processes and runs until each has ended, or the time is up.
   */
  void run(Client client, int processes) {
    for (int process = 0; process < processes; process++) {
      List<Request> dealt = new ArrayList<>();
      for (int i = process; i < requests.size(); i += processes) {
        dealt.add(requests.get(i));
      }
      var session = new Session(this, dealt, random.split());
      loop.at(0, () -> client.start(session));
    }
    loop.runUntil(end.toNanos(), () -> unfinished() == 0);
  }

  void end(Request request, boolean answered) {
    if (ended.get(request.id())) {
      throw new IllegalStateException(
          "cannot end request %d: it has ended".formatted(request.id()));
    }
    ended.set(request.id());
    if (answered) {
      done++;
    } else {
      gaveUp++;
    }
    endedAt = loop.now();
  }

  /** When the last request ended. */
  Duration makespan() {
    return Duration.ofNanos(endedAt);
  }

  int done() {
    return done;
  }

  int gaveUp() {
    return gaveUp;
  }

  int unfinished() {
    return requests.size() - done - gaveUp;
  }

  /** The headers of a response that arrives now; empty if its numbers are handed over as such. */
  Optional<Map<String, String>> headers(Response response) {
    return advertiser.map(writes -> writes.headers(response, loop.now()));
  }

  EventLoop loop() {
    return loop;
  }

  Link link() {
    return link;
  }

  ProviderModel model() {
    return model;
  }
}
