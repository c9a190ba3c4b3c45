package dev.weir.simulator.provider;

import java.util.Optional;

/**
 * One attempt of a request, as seen from both ends of the network.
 *
 * @param request its id
 * @param sentAt when the client sent it
 * @param arrivedAt when the provider decided about it
 * @param status of its response; 200 if it was admitted, whether or not it has been answered
 * @param refusal why it was refused, if it was
 * @param receivedAt when its response reached the client; {@link #NEVER} if it did not
 */
public record Attempt(
    int request,
    long sentAt,
    long arrivedAt,
    int status,
    Optional<RefusalCause> refusal,
    long receivedAt) {

  public static final long NEVER = Long.MAX_VALUE;

  static final int ADMITTED = 200;

  public boolean isRefused() {
    return refusal.isPresent();
  }

  public boolean isAdmitted() {
    return status == ADMITTED;
  }

  Attempt receivedAt(long nanos) {
    return new Attempt(request, sentAt, arrivedAt, status, refusal, nanos);
  }
}
