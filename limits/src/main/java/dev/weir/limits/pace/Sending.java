package dev.weir.limits.pace;

import dev.weir.limits.pace.PaceState.Send;

/** One request that was sent; it counts as accepted until it is known to have been refused. */
final class Sending {

  final long id;
  final double at;
  final Cost cost;
  final int inFlightBefore;
  final double requestsBefore;
  final double tokensBefore;
  final int numberForGuard;

  /** Whether it left although a claim saw no room for it. */
  final boolean probe;

  boolean refused;

  Sending(
      long id,
      double at,
      Cost cost,
      int inFlightBefore,
      double requestsBefore,
      double tokensBefore,
      int numberForGuard,
      boolean probe) {
    this.id = id;
    this.at = at;
    this.cost = cost;
    this.inFlightBefore = inFlightBefore;
    this.requestsBefore = requestsBefore;
    this.tokensBefore = tokensBefore;
    this.numberForGuard = numberForGuard;
    this.probe = probe;
  }

  Sending(Send state) {
    this(
        state.id(),
        state.at(),
        state.cost(),
        state.inFlightBefore(),
        state.requestsBefore(),
        state.tokensBefore(),
        state.numberForGuard(),
        state.probe());
    refused = state.refused();
  }

  Send state() {
    return new Send(
        id, at, cost, inFlightBefore, requestsBefore, tokensBefore, numberForGuard, probe, refused);
  }
}
