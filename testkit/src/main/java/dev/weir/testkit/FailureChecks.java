package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.retry.Outcome;
import dev.weir.model.Adapter;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.time.Task;
import dev.weir.time.Time;
import java.time.Duration;
import java.util.List;

/**
 * What is promised about failures: they are values of the right kind, and say where they are from.
 */
final class FailureChecks {

  private static final Duration WAIT = Duration.ofSeconds(7);

  /** Until an exchange is surely on its way. */
  private static final Duration ON_ITS_WAY = Duration.ofMillis(300);

  /** A hundred times what is promised and measured: other things run on machines that test. */
  private static final Duration PROMPT = Duration.ofSeconds(5);

  private FailureChecks() {}

  static Response.Failure failure(ProviderContract suite, Scene scene) throws Exception {
    return failure(suite, suite.open(scene).exchange(suite.request(scene)));
  }

  private static Response.Failure failure(ProviderContract suite, Response response) {
    assertThat(response).isInstanceOf(Response.Failure.class);
    var failure = (Response.Failure) response;
    assertThat(failure.message()).isNotBlank();
    assertThat(failure.origin().model()).isEqualTo(suite.model());
    return failure;
  }

  private static void requireStatus(ProviderContract suite, Response response, int status) {
    if (suite.has(Feature.WIRE)) {
      assertThat(response.origin().status()).hasValue(status);
      assertThat(response.origin().toString())
          .contains(suite.model().toString(), "status " + status);
      if (suite.has(Feature.REFUSAL_ID)) {
        requireId(response);
      }
    }
  }

  private static void requireId(Response response) {
    assertThat(response.origin().requestId()).as("the request id").isPresent();
  }

  static void identified(ProviderContract suite) throws Exception {
    requireId(failure(suite, new Scene.Refuses(429, "Slow down.", WAIT)));
  }

  static void unauthorized(ProviderContract suite) throws Exception {
    var scene = new Scene.Refuses(401, "The key is wrong.", Duration.ZERO);
    Response.Failure failure = failure(suite, scene);
    assertThat(failure)
        .isInstanceOfSatisfying(
            Response.Authentication.class,
            wrong -> assertThat(wrong.reach()).isEqualTo(Outcome.Reach.ACCOUNT));
    assertThat(failure.message()).contains("The key is wrong.");
    requireStatus(suite, failure, 401);
  }

  static void rateLimited(ProviderContract suite) throws Exception {
    var scene = new Scene.Refuses(429, "Slow down.", WAIT);
    var heard = new Heard(false);
    Response response = suite.open(scene).exchange(suite.request(scene), heard);
    requireWait(suite, response, heard);
    assertThat(failure(suite, response).message()).contains("Slow down.");
  }

  static void refusedStream(ProviderContract suite) throws Exception {
    var scene = new Scene.Refuses(429, "Slow down.", WAIT);
    var heard = new Heard(true);
    Response response = suite.open(scene).exchange(suite.request(scene), heard);
    requireWait(suite, response, heard);
    assertThat(heard.chunks()).isEmpty();
  }

  private static void requireWait(ProviderContract suite, Response response, Heard heard) {
    assertThat(response)
        .isInstanceOfSatisfying(
            Response.RateLimited.class,
            refused -> assertThat(refused.facts().serverWait()).contains(WAIT));
    assertThat(heard.facts())
        .as("what a refusal says counts as the header of an answer")
        .allMatch(ResponseFacts.NONE::equals);
    requireStatus(suite, response, 429);
  }

  static void serverErrors(ProviderContract suite) throws Exception {
    for (int status : List.of(408, 500, 502, 503, 504, 524, 529)) {
      var scene = new Scene.Refuses(status, "Something broke.", Duration.ZERO);
      Response.Failure failure = failure(suite, scene);
      assertThat(failure)
          .as("status %d", status)
          .isInstanceOfAny(Response.Transient.class, Response.Overloaded.class);
      requireStatus(suite, failure, status);
    }
  }

  static void unreadable(ProviderContract suite) throws Exception {
    for (Scene scene : List.of(new Scene.SendsPage(), new Scene.SendsNonsense())) {
      Response.Failure failure = failure(suite, scene);
      assertThat(failure).as("%s", scene).isInstanceOf(Response.UnreadableReply.class);
      requireStatus(suite, failure, 200);
    }
  }

  /** Whether the connection breaks or the text, it is not an answer. */
  static void brokenOff(ProviderContract suite) throws Exception {
    var scene = new Scene.BreaksOff();
    assertThat(failure(suite, scene))
        .isInstanceOfAny(Response.Transient.class, Response.UnreadableReply.class);
    if (suite.has(Feature.STREAMING)) {
      Response streamed = suite.open(scene).exchange(suite.request(scene), new Heard(true));
      assertThat(failure(suite, streamed))
          .isInstanceOfAny(Response.Transient.class, Response.UnreadableReply.class);
    }
  }

  static void tooLarge(ProviderContract suite) throws Exception {
    Response.Failure failure = failure(suite, new Scene.SendsTooMuch());
    assertThat(failure).isInstanceOf(Response.UnreadableReply.class);
    requireStatus(suite, failure, 200);
  }

  static void interrupted(ProviderContract suite) throws Exception {
    Time time = suite.time();
    var scene = new Scene.TakesLong();
    Adapter adapter = suite.open(scene);
    Request request = suite.request(scene);
    Task<String> task =
        time.start(
            "an exchange",
            () -> {
              try {
                return "ended with " + adapter.exchange(request);
              } catch (InterruptedException expected) {
                return "interrupted";
              }
            });
    assertThat(task.join(time.after(ON_ITS_WAY))).as("still on its way").isFalse();
    long begin = time.nanos();
    task.cancel();
    assertThat(task.join(time.after(PROMPT))).as("ended within %s", PROMPT).isTrue();
    assertThat(task.join()).isEqualTo("interrupted");
    assertThat(Duration.ofNanos(time.nanos() - begin)).isLessThan(PROMPT);
  }
}
