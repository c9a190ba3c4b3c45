package dev.weir.providers.custom;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.Adapter;
import dev.weir.model.ModelName;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.spi.Providers;
import dev.weir.model.spi.Surroundings;
import dev.weir.time.Time;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The files of examples/providers do what they say. */
@Timeout(60)
class ExamplesTest {

  private static final Path EXAMPLES = Path.of(System.getProperty("weir.root"), "examples");

  private static Adapter open(String name, Map<String, String> arguments) {
    ModelName model = ModelName.parse(name);
    return Providers.find(model).open(model, arguments, new Surroundings(Time.system(), 1));
  }

  private static String text(Response response) {
    assertThat(response).isInstanceOf(Response.Reply.class);
    return ((Response.Reply) response).message().text();
  }

  private static void requireWait(Response response) {
    assertThat(response)
        .isInstanceOfSatisfying(
            Response.RateLimited.class,
            refused -> assertThat(refused.facts().serverWait()).contains(Duration.ofSeconds(2)));
  }

  @Test
  void theProgramAnswers() throws Exception {
    Adapter model = open("exec:" + EXAMPLES.resolve("providers/exec.yaml"), Map.of());
    assertThat(text(model.exchange(Request.of("Capital of France?")))).isEqualTo("Paris");
    assertThat(text(model.exchange(Request.of("Capital of Peru?")))).isEqualTo("Lima");
    requireWait(model.exchange(Request.of("hurry")));
  }

  @Test
  void theRepliesAreUsed() throws Exception {
    Path replies = EXAMPLES.resolve("providers/replies.yaml");
    Adapter model = open("mock/script", Map.of("replies", replies.toString()));
    assertThat(text(model.exchange(Request.of("Capital of France?")))).isEqualTo("Paris");
    assertThat(text(model.exchange(Request.of("What?")))).startsWith("the first");
    assertThat(text(model.exchange(Request.of("And?")))).startsWith("and the second");
    assertThat(model.exchange(Request.of("More?"))).isInstanceOf(Response.InvalidRequest.class);
    requireWait(model.exchange(Request.of("hurry")));
  }

  @Test
  void theDescriptionOfAServerIsUnderstood() {
    Adapter model = open("http:" + EXAMPLES.resolve("providers/http.yaml"), Map.of());
    assertThat(model.endpoint()).isEqualTo("http://127.0.0.1:8080/v1/chat/completions");
    assertThat(model.key().model()).isEqualTo("simulated");
  }
}
