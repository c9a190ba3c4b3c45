package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.limits.LimitKey;
import dev.weir.model.Adapter;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Origin;
import dev.weir.model.Printable;
import dev.weir.model.Response;
import dev.weir.model.spi.Provider;
import dev.weir.model.spi.Providers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What is promised about names, arguments, credentials and accounts. */
final class OpeningChecks {

  private OpeningChecks() {}

  /** Even a server that repeats the credential does not get it shown. */
  static void secrecy(ProviderContract suite) throws Exception {
    String credential = ProviderContract.CREDENTIAL;
    List<Scene> scenes = new ArrayList<>();
    scenes.add(new Scene.Says("Not told."));
    if (suite.has(Feature.REFUSALS)) {
      scenes.add(new Scene.Refuses(401, "The key " + credential + " is wrong.", Duration.ZERO));
      scenes.add(new Scene.Refuses(500, "Broken with " + credential, Duration.ZERO));
    }
    if (suite.has(Feature.MALFORMED)) {
      scenes.add(new Scene.SendsPage());
      scenes.add(new Scene.BreaksOff());
    }
    for (Scene scene : scenes) {
      Adapter adapter = suite.open(scene);
      Response response = adapter.exchange(suite.request(scene));
      assertThat(response.toString()).as("%s", scene).doesNotContain(credential);
      assertThat(response.origin().raw().map(Origin.Raw::toString).orElse(""))
          .doesNotContain(credential);
      assertThat(adapter + " " + adapter.key() + " " + adapter.endpoint())
          .doesNotContain(credential);
      if (response instanceof Response.Failure failure) {
        assertThat(failure.message()).doesNotContain(credential);
      }
    }
  }

  static void missingCredential(ProviderContract suite) {
    Map<String, String> variables = suite.environment(ProviderContract.CREDENTIAL);
    assertThat(variables).as("variables that carry the credential").isNotEmpty();
    for (String missing : variables.keySet()) {
      Map<String, String> others = new HashMap<>(variables);
      others.remove(missing);
      assertThatExceptionOfType(ConfigurationException.class)
          .isThrownBy(() -> suite.open(suite.arguments(), others))
          .withMessageContaining(missing)
          .withMessageContaining(suite.model().toString());
    }
  }

  static void accounts(ProviderContract suite) {
    LimitKey one = key(suite, ProviderContract.CREDENTIAL);
    LimitKey same = key(suite, ProviderContract.CREDENTIAL);
    LimitKey other = key(suite, "another-" + ProviderContract.CREDENTIAL);
    assertThat(one).isEqualTo(same).isNotEqualTo(other);
    assertThat(one.account()).isNotBlank().isNotEqualTo(other.account());
    assertThat(one.toString()).doesNotContain(ProviderContract.CREDENTIAL);
  }

  private static LimitKey key(ProviderContract suite, String credential) {
    return suite.open(suite.arguments(), suite.environment(credential)).key();
  }

  static void unknownArgument(ProviderContract suite) {
    String known = suite.knownArgument();
    assertThat(known.length()).as("letters of the argument '%s'", known).isGreaterThanOrEqualTo(4);
    String mistyped = known.substring(0, known.length() - 1);
    Map<String, String> arguments = new HashMap<>(suite.arguments());
    arguments.put(mistyped, "1");
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> suite.open(arguments, suite.environment(ProviderContract.CREDENTIAL)))
        .withMessageContaining("'" + mistyped + "'")
        .withMessageContaining("did you mean '" + known + "'?");
    // Who only foretells a run is told the same.
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> Providers.find(suite.model()).check(suite.model(), arguments))
        .withMessageContaining("did you mean '" + known + "'?");
  }

  static void help(ProviderContract suite) {
    Provider provider = Providers.find(suite.model());
    assertThat(provider.names()).contains(suite.model().provider());
    String help = provider.help(suite.model().provider());
    assertThat(help).isNotBlank();
    assertThat(Printable.isLine(help)).as("help in one line: %s", help).isTrue();
  }
}
