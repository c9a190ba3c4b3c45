package dev.weir.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.model.Adapter;
import dev.weir.model.ConfigurationException;
import dev.weir.model.ModelName;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.spi.Providers;
import dev.weir.model.spi.Surroundings;
import dev.weir.time.Task;
import dev.weir.time.virtual.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SimulatedProviderTest {

  private final VirtualTime time = VirtualTime.seeded(1);

  private Adapter open(String name, long seed, Map<String, String> arguments) {
    ModelName modelName = ModelName.parse(name);
    return Providers.find(modelName).open(modelName, arguments, new Surroundings(time, seed));
  }

  private static Request question(int number) {
    return Request.of("Question " + number + "?").withTarget("answer-" + number);
  }

  @Test
  void isRightAsOftenAsItsNameSays() throws Exception {
    Adapter model = open("sim/coin:accuracy=0.7,rpm=0", 1, Map.of());
    assertThat(right(model, 2_000)).isBetween(1_340, 1_460);
    assertThat(right(open("sim/coin", 1, Map.of("accuracy", "1", "rpm", "0")), 100)).isEqualTo(100);
    assertThat(right(open("sim/coin", 1, Map.of("accuracy", "0", "rpm", "0")), 100)).isZero();
  }

  @Test
  void aRightAnswerIsTheTargetAndNothingElse() throws Exception {
    Adapter model = open("sim/coin:accuracy=1,rpm=0", 1, Map.of());
    Response response = time.run(() -> model.exchange(question(1)));
    assertThat(response)
        .isInstanceOfSatisfying(
            Response.Reply.class,
            reply -> assertThat(reply.message().text()).isEqualTo("answer-1"));
  }

  @Test
  void whatMakesItsAnswersAnotherOneIsToldToTheCache() {
    Request request = question(1);
    String shape = open("sim/x", 1, Map.of()).shape(request);
    assertThat(open("sim/x", 1, Map.of("rpm", "7")).shape(request)).isEqualTo(shape);
    assertThat(open("sim/x", 2, Map.of()).shape(request)).isNotEqualTo(shape);
    assertThat(open("sim/x", 1, Map.of("accuracy", "1")).shape(request)).isNotEqualTo(shape);
    assertThat(open("sim/x", 1, Map.of()).shape(request.withTarget("b"))).isNotEqualTo(shape);
    assertThat(open("sim/x", 1, Map.of()).shape(Request.of("Question 1?"))).isNotEqualTo(shape);
  }

  @Test
  void aMistakeThatIsGivenIsWhatItSaysWhenItIsWrong() throws Exception {
    Adapter judge = open("sim/judge:accuracy=0.7,rpm=0", 1, Map.of());
    int right = 0;
    for (int i = 0; i < 1_000; i++) {
      Request request = Request.of("Is " + i + " right?").withTarget("GRADE: C", "GRADE: I");
      var reply = (Response.Reply) time.run(() -> judge.exchange(request));
      assertThat(reply.message().text()).isIn("GRADE: C", "GRADE: I");
      right += reply.message().text().equals("GRADE: C") ? 1 : 0;
    }
    assertThat(right).isBetween(650, 750);
    Request request = question(1);
    assertThat(judge.shape(request.withTarget("a", "b")))
        .isNotEqualTo(judge.shape(request.withTarget("a")));
  }

  @Test
  void theSlowestRateRefusesWithAWaitThatCanBeTold() throws Exception {
    Adapter model = open("sim/x:rpm=0.001,burst=1", 1, Map.of());
    time.run(
        () -> {
          assertThat(model.exchange(question(1))).isInstanceOf(Response.Reply.class);
          assertThat(model.exchange(question(2)))
              .isInstanceOfSatisfying(
                  Response.RateLimited.class,
                  refused ->
                      assertThat(refused.facts().serverWait().orElseThrow())
                          .isBetween(Duration.ofHours(16), Duration.ofHours(17)));
        });
  }

  @Test
  void theSeedSaysWhichAnswersAreRightAndTheOrderDoesNotMatter() throws Exception {
    List<Boolean> forwards = correctness(1, false);
    assertThat(correctness(1, true)).isEqualTo(forwards);
    assertThat(correctness(2, false)).isNotEqualTo(forwards);
  }

  @Test
  void eachEpochAndEachNameHasAnswersOfItsOwn() throws Exception {
    List<Boolean> first = inEpoch("sim/a:accuracy=0.5,rpm=0", 0);
    List<Boolean> second = inEpoch("sim/a:accuracy=0.5,rpm=0", 1);
    assertThat(second).isNotEqualTo(first);
    assertThat(inEpoch("sim/a:accuracy=0.5,rpm=0", 2)).isNotEqualTo(first).isNotEqualTo(second);
    assertThat(inEpoch("sim/a:accuracy=0.5,rpm=0", 1)).as("another time").isEqualTo(second);
    assertThat(inEpoch("sim/b:accuracy=0.5,rpm=0", 0)).isNotEqualTo(first);
    assertThat(inEpoch("sim/a:accuracy=0.5,rpm=0,burst=9", 0)).as("its speed").isEqualTo(first);
  }

  private List<Boolean> inEpoch(String name, int epoch) throws Exception {
    Adapter model = open(name, 1, Map.of());
    return time.run(
        () -> {
          List<Boolean> right = new ArrayList<>();
          for (int i = 0; i < 50; i++) {
            right.add(isRight(model.exchange(question(i).withEpoch(epoch)), i));
          }
          return right;
        });
  }

  @Test
  void argumentsWinOverTheName() throws Exception {
    assertThat(right(open("sim/x:accuracy=0,rpm=0", 1, Map.of("accuracy", "1")), 50)).isEqualTo(50);
  }

  @Test
  void admitsTheBurstAndThenTheRateAndRefusesWithAWait() throws Exception {
    Adapter model = open("sim/x:rpm=60,burst=5,latency=100ms", 1, Map.of());
    time.run(
        () -> {
          List<Task<Response>> tasks = new ArrayList<>();
          for (int i = 0; i < 8; i++) {
            int number = i;
            tasks.add(time.start("caller-" + i, () -> model.exchange(question(number))));
          }
          int refused = 0;
          for (Task<Response> task : tasks) {
            if (task.join() instanceof Response.RateLimited(_, var facts, _)) {
              assertThat(facts.serverWait()).contains(Duration.ofSeconds(1));
              refused++;
            }
          }
          assertThat(refused).isEqualTo(3);
          time.sleep(Duration.ofSeconds(1));
          assertThat(model.exchange(question(9))).isInstanceOf(Response.Reply.class);
        });
  }

  @Test
  void failsAsOftenAsToldAndEndsWithItsCredit() throws Exception {
    Adapter flaky = open("sim/x:rpm=0,error-rate=0.5", 1, Map.of());
    Adapter poor = open("sim/x:rpm=0,credit=3", 1, Map.of());
    time.run(
        () -> {
          int faults = 0;
          for (int i = 0; i < 200; i++) {
            if (flaky.exchange(question(i)) instanceof Response.Transient) {
              faults++;
            }
          }
          assertThat(faults).isBetween(70, 130);
          for (int i = 0; i < 3; i++) {
            assertThat(poor.exchange(question(i))).isInstanceOf(Response.Reply.class);
          }
          assertThat(poor.exchange(question(4))).isInstanceOf(Response.QuotaExhausted.class);
        });
  }

  @Test
  void latencyHasTheMedianItWasTold() throws Exception {
    Adapter model = open("sim/x:rpm=0,latency=1.5s", 1, Map.of());
    time.run(
        () -> {
          List<Long> latencies = new ArrayList<>();
          for (int i = 0; i < 501; i++) {
            long start = time.nanos();
            model.exchange(question(i));
            latencies.add(time.nanos() - start);
          }
          latencies.sort(null);
          assertThat(Duration.ofNanos(latencies.get(250)))
              .isBetween(Duration.ofMillis(1_400), Duration.ofMillis(1_600));
        });
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "sim/x:acuracy=1   | has no argument 'acuracy'; did you mean 'accuracy'?",
        "sim/x:accuracy=2  | `accuracy` must be a number from 0 to 1, was '2'",
        "sim/x:accuracy=NaN| `accuracy` must be a number from 0 to 1, was 'NaN'",
        "sim/x:latency=5x  | `latency` must be a duration such as 250ms, 1.5s, 2m or 1h",
        "sim/x:latency=99999999999m | 2m or 1h, at most 24h, was '99999999999m'",
        "sim/x:headers=no  | `headers` must be true or false, was 'no'",
        "sim/x:rpm=-1      | `rpm` must be a number from 0.001 to 1e9, or 0 for no limit, was '-1'",
        "sim/x:rpm=1e-9    | `rpm` must be a number from 0.001 to 1e9, or 0 for no limit, was"
            + " '1e-9'",
        "sim/x:burst=0     | `burst` must be a whole number of at least 1, was '0'",
        "sim/x:fast        | 'fast' is not of the form key=value",
        "smi/demo          | there is no provider 'smi'; did you mean 'sim'?",
      })
  void badNamesAreExplained(String name, String explanation) {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> open(name, 1, Map.of()))
        .withMessageContaining(explanation)
        .withMessageContaining(name);
  }

  private int right(Adapter model, int questions) throws Exception {
    return time.run(
        () -> {
          int right = 0;
          for (int i = 0; i < questions; i++) {
            right += isRight(model.exchange(question(i)), i) ? 1 : 0;
          }
          return right;
        });
  }

  private List<Boolean> correctness(long seed, boolean reversed) throws Exception {
    Adapter model = open("sim/x:accuracy=0.5,rpm=0", seed, Map.of());
    return time.run(
        () -> {
          Boolean[] right = new Boolean[100];
          for (int i = 0; i < right.length; i++) {
            int number = reversed ? right.length - 1 - i : i;
            right[number] = isRight(model.exchange(question(number)), number);
          }
          return List.of(right);
        });
  }

  private static boolean isRight(Response response, int number) {
    return response instanceof Response.Reply reply
        && reply.message().text().contains("answer-" + number);
  }
}
