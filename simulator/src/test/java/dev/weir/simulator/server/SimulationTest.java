package dev.weir.simulator.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.model.ConfigurationException;
import dev.weir.simulator.provider.Advertisement;
import dev.weir.simulator.provider.HeaderStyle;
import dev.weir.simulator.provider.ProviderSettings;
import dev.weir.simulator.provider.ProviderSettings.Cap;
import dev.weir.simulator.provider.ProviderSettings.LimitChange;
import dev.weir.simulator.provider.ProviderSettings.Quota;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SimulationTest {

  @TempDir Path directory;

  private static Simulation of(String... settings) {
    return Simulation.of(Optional.empty(), RunningSimulator.given(settings), 7);
  }

  @Test
  void aMinuteIsTheDefaultBurst() {
    ProviderSettings settings = of("rpm=600", "tpm=60000", "hidden-rpm=300").settings();
    assertThat(settings.requests()).contains(new Quota(10, 600));
    assertThat(settings.tokens()).contains(new Quota(1_000, 60_000));
    assertThat(settings.hiddenRequests()).contains(new Quota(5, 5));
    assertThat(of("rpm=600", "burst=10").settings().requests()).contains(new Quota(10, 10));
    assertThat(of("rpm=0", "tpm=0").settings().requests()).isEmpty();
    assertThat(of("rpm=600", "calendar=10s:3s").settings().requests()).contains(new Quota(10, 100));
  }

  @Test
  void everySettingIsRead() {
    Simulation simulation =
        of(
            "cap=3:queue",
            "refusal-cost=1",
            "acceleration=2:5",
            "other-traffic=60:600",
            "limit-change=20s:2",
            "limit-change=10s:0.5",
            "outage=1m+10s",
            "outage=5m+10s",
            "overload=10s+20s:0.7",
            "error-rate=0.1",
            "hang-rate=0.2",
            "hang-time=30s",
            "stray-rate=0.3",
            "headers=azure",
            "seed=-5");
    ProviderSettings settings = simulation.settings();
    assertThat(settings.cap()).contains(new Cap(3, true));
    assertThat(settings.refusalCost()).isEqualTo(1);
    assertThat(settings.otherTraffic().requestsPerSecond()).isEqualTo(1);
    assertThat(settings.otherTraffic().tokensPerSecond()).isEqualTo(10);
    assertThat(settings.schedule())
        .containsExactly(
            new LimitChange(Duration.ofSeconds(10), 0.5),
            new LimitChange(Duration.ofSeconds(20), 2));
    assertThat(settings.faults().outages()).hasSize(2);
    assertThat(settings.faults().outages().getFirst().until()).isEqualTo(Duration.ofSeconds(70));
    assertThat(settings.faults().overload().orElseThrow().rate()).isEqualTo(0.7);
    assertThat(settings.faults().strayRate()).isEqualTo(0.3);
    assertThat(simulation.hangTime()).contains(Duration.ofSeconds(30));
    assertThat(settings.acceleration().orElseThrow().floorPerSecond()).isEqualTo(5);
    assertThat(simulation.headers(HeaderStyle.OPENAI)).isEqualTo(HeaderStyle.AZURE);
    assertThat(of().headers(HeaderStyle.ANTHROPIC)).isEqualTo(HeaderStyle.ANTHROPIC);
    assertThat(simulation.seed()).isEqualTo(-5);
    assertThat(of().seed()).isEqualTo(7);
  }

  @Test
  void headersAreChosenOnce() {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> of("headers=azure", "advertise=openai-rate"))
        .withMessage(
            "--headers and --advertise cannot be combined: both choose the rate-limit headers;"
                + " remove one");
    Optional<Profile> profile = Optional.of(Profile.named("azure"));
    assertThat(profile.orElseThrow().settings()).containsKey(Setting.HEADERS);
    Simulation simulation =
        Simulation.of(profile, RunningSimulator.given("advertise=openai-rate"), 1);
    assertThat(simulation.settings().advertising().as()).contains(Advertisement.OPENAI_RATE);
  }

  @Test
  void onlyAdvertisementsThatAreUsableNameTheQuota() {
    assertThat(of("advertise=epoch").settings().advertising().kind()).isTrue();
    assertThat(of("advertise=lying").settings().advertising().kind()).isFalse();
  }

  @Test
  void latencyHasThreeForms() {
    var random = new SplittableRandom(1);
    assertThat(of("latency=1.5s").latency().draw(random)).isEqualTo(1_500_000_000L);
    long[] spread = new long[1_001];
    for (int i = 0; i < spread.length; i++) {
      spread[i] = of("latency=1s:0.5").latency().draw(random);
      assertThat(of("latency=1s:3s").latency().draw(random))
          .isBetween(1_000_000_000L, 3_000_000_000L);
    }
    Arrays.sort(spread);
    assertThat(spread[500]).isBetween(900_000_000L, 1_100_000_000L);
    assertThat(spread[0]).isLessThan(500_000_000L);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "rpm=many           | --rpm must be a number of at least 0, was 'many'",
        "rpm=-1             | --rpm must be a number of at least 0, was '-1'",
        "rpm=NaN            | --rpm must be a number",
        "burst=3            | --burst needs a limit on requests; give --rpm too",
        "tpm=1:0            | --tpm must be a number of at least 1, was '0'",
        "tpm=1:2:3          | --tpm must be of the form N or N:BURST, for example 600:10",
        "cap=0              | --cap must be a whole number from 1",
        "cap=1:wait         | --cap does not know 'wait'",
        "latency=1          | --latency must be a duration such as 250ms, 1.5s, 2m or 1h, was '1'",
        "latency=3s:1s      | --latency must not end before it begins",
        "latency=200h       | --latency must be at most 168h",
        "headers=opnai      | --headers does not know 'opnai'; did you mean 'openai'?",
        "outage=30s         | --outage must be of the form FROM+LENGTH, for example 30s+10s",
        "outage=30s+0       | --outage must be longer than nothing",
        "overload=1s+1s     | --overload must be of the form FROM+LENGTH:RATE",
        "overload=1s+1s:2   | --overload must be a number from 0 to 1, was '2'",
        "error-rate=1.1     | --error-rate must be a number from 0 to 1, was '1.1'",
        "hang-rate=x        | --hang-rate must be a number from 0 to 1",
        "hang-time=1s       | --hang-time needs hung requests; give --hang-rate too",
        "stray-rate=2       | --stray-rate must be a number from 0 to 1, was '2'",
        "advertise=openia   | --advertise does not know 'openia'; did you mean 'openai'?",
        "refusal-cost=-1    | --refusal-cost must be a number of at least 0",
        "calendar=0         | --calendar must be longer than nothing",
        "other-traffic=x    | --other-traffic must be a number of at least 0",
        "limit-change=1s    | --limit-change must be of the form AT:FACTOR",
        "limit-change=1s:0  | --limit-change must be a number above 0",
        "acceleration=2     | --acceleration must be of the form FACTOR:FLOOR",
        "acceleration=2:0   | --acceleration must be a number of at least 0.1",
        "seed=x             | --seed must be a whole number",
        "accuracy=2         | --accuracy must be a number from 0 to 1",
        "api-key=' '        | --api-key must not be empty",
        "answers=no.jsonl   | --answers: there is no file no.jsonl",
      })
  void wrongValuesAreToldWithWhoGaveThem(String setting, String explanation) {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> of(setting.replace("'", "")))
        .withMessageContaining(explanation);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{                                 | line 2 is not JSON",
        "[]                                | line 2 must be a JSON object",
        "{\"match\": \"x\"}                | line 2 must have a text as",
        "{\"anser\": \"x\"}                | has no key 'anser'; did you mean 'answer'?",
        "{\"answer\": \"x\", \"match\": \"/(/\"} | is no regular expression",
        "{\"answer\": \"x\", \"status\": 99}     | of 200 or from 400 to 599, was 99",
        "{\"answer\": \"x\", \"latency\": \"1\"} | must be a duration",
      })
  void aBadScriptIsToldWithItsLine(String line, String explanation) throws Exception {
    Path file = directory.resolve("answers.jsonl");
    Files.writeString(file, "{\"answer\": \"fine\"}\n" + line + "\n");
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> of("answers=" + file))
        .withMessageContaining(explanation);
  }

  @Test
  void everyProfileIsComplete() {
    List<Profile> profiles = Profile.all();
    assertThat(profiles.stream().map(Profile::name))
        .doesNotHaveDuplicates()
        .contains("openai-tier-1", "openai-tier-5", "anthropic-tier-4", "azure", "self-hosted");
    for (Profile profile : profiles) {
      assertThat(profile.source()).as(profile.name()).startsWith("https://");
      assertThat(profile.date().getYear()).as(profile.name()).isGreaterThanOrEqualTo(2026);
      assertThat(profile.notes()).as(profile.name()).contains("ssumption");
      Simulation simulation = Simulation.of(Optional.of(profile), Map.of(), 1);
      assertThat(simulation.profile()).contains(profile);
      assertThat(
              simulation.settings().requests().isPresent()
                  || simulation.settings().cap().isPresent())
          .as(profile.name())
          .isTrue();
    }
  }

  @Test
  void whatIsGivenWinsOverTheProfile() {
    Optional<Profile> azure = Optional.of(Profile.named("azure"));
    Simulation simulation = Simulation.of(azure, RunningSimulator.given("rpm=60"), 1);
    assertThat(simulation.settings().requests()).as("and its burst").contains(new Quota(1, 60));
    assertThat(simulation.settings().tokens()).isPresent();
    Optional<Profile> anthropic = Optional.of(Profile.named("anthropic-tier-1"));
    assertThat(Simulation.of(anthropic, Map.of(), 1).settings().outputTokens())
        .contains(Quota.perMinute(8_000, 8_000));
    Simulation oneQuota = Simulation.of(anthropic, RunningSimulator.given("tpm=6000"), 1);
    assertThat(oneQuota.settings().outputTokens()).as("one for all tokens").isEmpty();
    assertThat(oneQuota.settings().tokens()).contains(new Quota(100, 6_000));
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> Profile.named("openai-teir-1"))
        .withMessage("there is no profile 'openai-teir-1'; did you mean 'openai-tier-1'?");
  }
}
