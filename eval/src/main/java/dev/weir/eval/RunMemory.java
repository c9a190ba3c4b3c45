package dev.weir.eval;

import dev.weir.eval.memory.LearnedLimits;
import dev.weir.eval.memory.LimitStore;
import dev.weir.limits.LimitKey;
import dev.weir.limits.Regulator;
import dev.weir.limits.pace.PaceMemory;
import dev.weir.log.StateDirectory;
import dev.weir.model.ModelName;
import dev.weir.model.Printable;
import dev.weir.time.Task;
import dev.weir.time.Time;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The limits that the models of an evaluation start from, and those that it leaves to later runs.
 *
 * <p>Saved every minute, so that a killed run loses little, and at the end. It is a help: whatever
 * is wrong with it is reported once, and the run continues without it. Thread-safe.
 */
final class RunMemory implements AutoCloseable {

  private static final Duration INTERVAL = Duration.ofMinutes(1);

  private final Time time;
  private final Optional<LimitStore> store;
  private final Regulator regulator;
  private final Consumer<String> notices;
  // Guarded by this: the scopes of opened models, and what is known to be in their files.
  private final Map<String, Place> places = new HashMap<>();
  private final Map<String, PaceMemory> saved = new HashMap<>();
  private boolean isUnwritable;
  private @Nullable Task<?> saving;

  /** What people recognise a scope by. */
  private record Place(String model, String host) {}

  /**
   * @param store empty if nothing is read or saved
   * @param notices is told what is wrong, a sentence each
   */
  RunMemory(Time time, Optional<LimitStore> store, Regulator regulator, Consumer<String> notices) {
    this.time = time;
    this.store = store;
    this.regulator = regulator;
    this.notices = notices;
  }

  /**
   * Gives what earlier runs learned to the lane of a key, which is opened after it.
   *
   * <p>Simulated models, and those within this process, have no account: nothing is known of them.
   *
   * @param endpoint the base URL, if there is one
   */
  synchronized void recall(LimitKey key, ModelName name, String endpoint) {
    String scope = key.learningScope();
    if (store.isEmpty()
        || key.account().isEmpty()
        || !Printable.isLine(scope + name)
        || places.putIfAbsent(scope, new Place(name.toString(), host(endpoint))) != null) {
      return;
    }
    switch (store.get().read(scope).orElse(null)) {
      case LimitStore.Entry.Usable(_, LearnedLimits limits) -> {
        saved.put(scope, limits.memory());
        regulator.recall(Map.of(scope, limits.memory()));
      }
      case LimitStore.Entry.Unusable(var file, String why) ->
          notices.accept(
              ("the limits learned earlier for %s are ignored: %s %s; remove the file with 'weir"
                      + " limits forget --unusable'")
                  .formatted(name, file, why));
      case null -> {}
    }
  }

  private static String host(String endpoint) {
    try {
      URI address = URI.create(endpoint);
      String host = address.getHost();
      if (host == null || !Printable.isLine(host)) {
        return "";
      }
      return address.getPort() < 0 ? host : host + ":" + address.getPort();
    } catch (IllegalArgumentException none) {
      return "";
    }
  }

  /** Saves now and then from now on. */
  synchronized void begin() {
    if (store.isPresent() && saving == null) {
      saving =
          time.start(
              "memory",
              () -> {
                while (true) {
                  time.sleep(INTERVAL);
                  save();
                }
              });
    }
  }

  private synchronized void save() {
    if (store.isEmpty()) {
      return;
    }
    for (var learned : regulator.memories().entrySet()) {
      String scope = learned.getKey();
      Place place = places.get(scope);
      // What is in the file already may have been replaced by a run that learned later.
      if (place != null && !learned.getValue().equals(saved.get(scope))) {
        write(
            store.get(), new LearnedLimits(scope, place.model(), place.host(), learned.getValue()));
      }
    }
  }

  private void write(LimitStore to, LearnedLimits limits) {
    try {
      var _ = to.write(limits);
      saved.put(limits.scope(), limits.memory());
    } catch (IOException unwritable) {
      if (!isUnwritable) {
        isUnwritable = true;
        notices.accept(
            ("the limits learned in this run cannot be saved in %s (%s); the run continues. Choose"
                    + " another directory with %s, or turn this off with --no-memory")
                .formatted(to.directory(), unwritable, StateDirectory.VARIABLE));
      }
    }
  }

  /** Saves for the last time. */
  @Override
  public void close() {
    Task<?> running;
    synchronized (this) {
      running = saving;
      saving = null;
    }
    if (running != null) {
      running.cancel();
    }
    save();
    store.ifPresent(
        used -> {
          try {
            used.prune();
          } catch (IOException unreadable) {
            // The next run prunes; one that cannot write has said so.
          }
        });
  }
}
