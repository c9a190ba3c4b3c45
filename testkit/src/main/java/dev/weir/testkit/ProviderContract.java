package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.Adapter;
import dev.weir.model.ModelName;
import dev.weir.model.Request;
import dev.weir.model.spi.Provider;
import dev.weir.model.spi.Providers;
import dev.weir.model.spi.Surroundings;
import dev.weir.time.Action;
import dev.weir.time.Time;
import dev.weir.time.virtual.VirtualTime;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;

/**
 * What every provider promises, as tests to inherit. A provider on HTTP runs them against a server,
 * usually the simulator's; one in process needs none.
 *
 * <p>A subclass says how its model is opened, and how the model is brought to do what a test is
 * about: by default with the directives that the simulator's server understands in prompts. What a
 * provider lacks is stated with a reason; that it is really lacking is a test of its own, so that
 * nothing is left out silently.
 *
 * <pre>{@code
 * class AcmeContractTest extends ProviderContract {
 *
 *   private final SimulatorServer server = ContractServer.start(CREDENTIAL);
 *
 *   @AfterEach
 *   void stop() {
 *     server.close();
 *   }
 *
 *   @Override
 *   protected ModelName model() {
 *     return ModelName.parse("acme/small");
 *   }
 *
 *   @Override
 *   protected Map<String, String> environment(String credential) {
 *     return Map.of("ACME_API_KEY", credential);
 *   }
 *
 *   @Override
 *   protected Optional<URI> baseUrl() {
 *     return Optional.of(server.address().resolve("/v1"));
 *   }
 *
 *   @Override
 *   protected String knownArgument() {
 *     return "organization";
 *   }
 *
 *   @Override
 *   protected Map<Feature, String> lacking() {
 *     return Map.of(Feature.IMAGES, "the API of Acme takes no images");
 *   }
 * }
 * }</pre>
 */
@Timeout(60)
public abstract class ProviderContract {

  /** The credential of the tests, to be looked for wherever it must not be. */
  protected static final String CREDENTIAL = "weir-test-key-4f1c9a7e20";

  /** The model that is tested. */
  protected abstract ModelName model();

  /** The name of one argument that the model knows, of at least four letters. */
  protected abstract String knownArgument();

  /** What the provider lacks, each with the reason. */
  protected abstract Map<Feature, String> lacking();

  /** What the model is given with {@code -M}. */
  protected Map<String, String> arguments() {
    return Map.of();
  }

  /** The variables that carry a credential. */
  protected Map<String, String> environment(String credential) {
    return Map.of();
  }

  /** Where the server is. */
  protected Optional<URI> baseUrl() {
    return Optional.empty();
  }

  /** The clock; virtual for models in process, so that no test waits. */
  protected Time time() {
    return Time.system();
  }

  /** A prompt that brings the model to play a scene. */
  protected String prompt(Scene scene) {
    return SimulatorPrompts.of(scene);
  }

  /** A request that brings the model to play a scene. */
  protected Request request(Scene scene) {
    return Request.of(prompt(scene));
  }

  /** The model for a scene, where it must be opened in another way for one. */
  protected Adapter open(Scene scene) {
    return open(arguments(), environment(CREDENTIAL));
  }

  /** Opens the model with these arguments and variables. */
  protected final Adapter open(Map<String, String> arguments, Map<String, String> environment) {
    Provider provider = Providers.find(model());
    return provider.open(model(), arguments, new Surroundings(time(), 7, environment, baseUrl()));
  }

  final boolean has(Feature feature) {
    return !lacking().containsKey(feature);
  }

  /** Runs a check, on virtual time if that is the clock; not if the provider lacks a feature. */
  private void check(Check check, Feature... needed) throws Exception {
    for (Feature feature : needed) {
      if (!has(feature)) {
        return;
      }
    }
    run(check);
  }

  private void run(Check check) throws Exception {
    Action action = () -> check.run(this);
    if (time() instanceof VirtualTime virtual) {
      virtual.run(action);
    } else {
      action.run();
    }
  }

  /** A promise, put to the test. */
  @FunctionalInterface
  interface Check {

    void run(ProviderContract suite) throws Exception;
  }

  @Test
  void answersAQuestion() throws Exception {
    check(AnswerChecks::question);
  }

  @Test
  void tellsTokens() throws Exception {
    check(AnswerChecks::usage, Feature.USAGE);
  }

  @Test
  void tellsTheExchangeBehindAnAnswer() throws Exception {
    check(AnswerChecks::wire, Feature.WIRE);
  }

  @Test
  void readsAConversation() throws Exception {
    check(AnswerChecks::conversation);
  }

  @Test
  void sendsImages() throws Exception {
    check(AnswerChecks::image, Feature.IMAGES);
  }

  @Test
  void stopsAtTheMostTokens() throws Exception {
    check(AnswerChecks::maxTokens, Feature.MAX_TOKENS);
  }

  @Test
  void doesNotMixUpAnswers() throws Exception {
    check(AnswerChecks::concurrent);
  }

  @Test
  void givesAnswersInPieces() throws Exception {
    check(AnswerChecks::stream, Feature.STREAMING);
  }

  @Test
  void tellsFactsOnce() throws Exception {
    check(AnswerChecks::facts);
  }

  @Test
  void keepsAnAnswerWhenNothingIsLeft() throws Exception {
    check(AnswerChecks::nothingLeft, Feature.QUOTAS);
  }

  @Test
  void callsATool() throws Exception {
    check(ToolChecks::call, Feature.TOOLS);
  }

  @Test
  void givesToolCallsInPieces() throws Exception {
    check(ToolChecks::stream, Feature.TOOLS, Feature.STREAMING);
  }

  @Test
  void readsWhatAToolGaveBack() throws Exception {
    check(ToolChecks::roundTrip, Feature.TOOLS);
  }

  @Test
  void callsNoToolIfItMayNot() throws Exception {
    check(ToolChecks::none, Feature.TOOLS, Feature.TOOL_CHOICE);
  }

  @Test
  void callsSomeToolIfItMust() throws Exception {
    check(ToolChecks::required, Feature.TOOLS, Feature.TOOL_CHOICE);
  }

  @Test
  void callsTheToolThatItMust() throws Exception {
    check(ToolChecks::named, Feature.TOOLS, Feature.TOOL_CHOICE);
  }

  @Test
  void tellsAWrongCredential() throws Exception {
    check(FailureChecks::unauthorized, Feature.REFUSALS);
  }

  @Test
  void tellsARateLimitWithItsWait() throws Exception {
    check(FailureChecks::rateLimited, Feature.REFUSALS);
  }

  @Test
  void takesServerErrorsForFaultsThatMayPass() throws Exception {
    check(FailureChecks::serverErrors, Feature.REFUSALS);
  }

  @Test
  void tellsRefusalsInPiecesToo() throws Exception {
    check(FailureChecks::refusedStream, Feature.REFUSALS, Feature.STREAMING);
  }

  @Test
  void tellsWhatCannotBeRead() throws Exception {
    check(FailureChecks::unreadable, Feature.MALFORMED);
  }

  @Test
  void tellsAnAnswerThatBreaksOff() throws Exception {
    check(FailureChecks::brokenOff, Feature.MALFORMED);
  }

  @Test
  void doesNotReadWithoutEnd() throws Exception {
    check(FailureChecks::tooLarge, Feature.MALFORMED);
  }

  @Test
  void endsAtOnceWhenInterrupted() throws Exception {
    check(FailureChecks::interrupted);
  }

  @Test
  void neverShowsTheCredential() throws Exception {
    check(OpeningChecks::secrecy, Feature.CREDENTIAL);
  }

  @Test
  void namesTheMissingCredential() throws Exception {
    check(OpeningChecks::missingCredential, Feature.CREDENTIAL);
  }

  @Test
  void tellsAccountsApart() throws Exception {
    check(OpeningChecks::accounts, Feature.CREDENTIAL);
  }

  @Test
  void knowsItsArguments() throws Exception {
    check(OpeningChecks::unknownArgument);
  }

  @Test
  void helps() throws Exception {
    check(OpeningChecks::help);
  }

  /** A feature that is there after all must be tested. */
  @Test
  void lacksWhatItSaysItLacks(TestReporter reporter) {
    lacking()
        .forEach(
            (feature, reason) -> {
              assertThat(reason).as("why it lacks %s", feature).isNotBlank();
              reporter.publishEntry("lacks " + feature, reason);
              assertThat(works(feature))
                  .as("%s is said to be lacking (%s), and works", feature, reason)
                  .isFalse();
            });
  }

  private boolean works(Feature feature) {
    Check probe =
        switch (feature) {
          case TOOLS -> ToolChecks::call;
          case TOOL_CHOICE -> ToolChecks::required;
          case STREAMING -> AnswerChecks::stream;
          case IMAGES -> AnswerChecks::image;
          case USAGE -> AnswerChecks::usage;
          case MAX_TOKENS -> AnswerChecks::maxTokens;
          case WIRE -> AnswerChecks::wire;
          case REFUSAL_ID -> FailureChecks::identified;
          case REFUSALS -> FailureChecks::rateLimited;
          case QUOTAS -> AnswerChecks::nothingLeft;
          case MALFORMED -> FailureChecks::unreadable;
          case CREDENTIAL -> OpeningChecks::missingCredential;
        };
    try {
      run(probe);
      return true;
    } catch (Exception | AssertionError lacking) {
      return false;
    }
  }
}
