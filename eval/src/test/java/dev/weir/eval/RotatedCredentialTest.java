package dev.weir.eval;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.LimitKey;
import dev.weir.limits.retry.Outcome;
import dev.weir.model.Adapter;
import dev.weir.model.ConfigurationException;
import dev.weir.model.ExchangeListener;
import dev.weir.model.Message;
import dev.weir.model.ModelName;
import dev.weir.model.Origin;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.StopReason;
import dev.weir.model.Usage;
import dev.weir.model.engine.FileVariables;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RotatedCredentialTest {

  private static final ModelName NAME = ModelName.parse("openai/gpt-4o");

  @TempDir Path directory;

  private final List<String> asked = new ArrayList<>();
  private String valid = "first";

  /** A provider that takes one key. */
  private Adapter open(Map<String, String> environment) {
    String key = environment.getOrDefault("OPENAI_API_KEY", "");
    if (key.length() > 10) {
      throw new ConfigurationException("no key");
    }
    return new Adapter() {
      @Override
      public LimitKey key() {
        return LimitKey.of("openai", key, "gpt-4o");
      }

      @Override
      public Response exchange(Request request, ExchangeListener listener) {
        asked.add(key);
        return key.equals(valid)
            ? new Response.Reply(
                Message.assistant("yes"), StopReason.STOP, Usage.NONE, Origin.of(NAME))
            : new Response.Authentication("401", Outcome.Reach.ACCOUNT, Origin.of(NAME));
      }
    };
  }

  private Path file(String text) throws Exception {
    return Files.writeString(directory.resolve("key"), text);
  }

  private Adapter followed() {
    Map<String, String> environment =
        FileVariables.resolved(Map.of("OPENAI_API_KEY_FILE", directory.resolve("key").toString()));
    return RotatedCredential.followed(open(environment), environment, this::open);
  }

  @Test
  void aKeyThatWasRotatedIsReadAgain() throws Exception {
    file("first\n");
    Adapter adapter = followed();
    assertThat(adapter.exchange(Request.of("a"))).isInstanceOf(Response.Reply.class);
    file("second\n");
    assertThat(adapter.exchange(Request.of("b"))).isInstanceOf(Response.Reply.class);
    assertThat(asked)
        .as("while it is taken, the file is not read")
        .containsExactly("first", "first");
    valid = "second";
    assertThat(adapter.exchange(Request.of("c"))).isInstanceOf(Response.Reply.class);
    assertThat(adapter.exchange(Request.of("d"))).isInstanceOf(Response.Reply.class);
    assertThat(asked).containsExactly("first", "first", "first", "second", "second");
    // Its limits are those that it began with.
    assertThat(adapter.key().account()).isEqualTo("first");
  }

  @Test
  void aRejectedKeyThatWasNotRotatedIsAskedOnce() throws Exception {
    file("wrong");
    Adapter adapter = followed();
    assertThat(adapter.exchange(Request.of("a"))).isInstanceOf(Response.Authentication.class);
    assertThat(asked).containsExactly("wrong");
  }

  @Test
  void aFileThatIsBeingWrittenLeavesTheRejection() throws Exception {
    file("wrong");
    Adapter adapter = followed();
    for (String half : List.of("", "much too long for a key")) {
      file(half);
      assertThat(adapter.exchange(Request.of("a"))).isInstanceOf(Response.Authentication.class);
    }
    file("first");
    assertThat(adapter.exchange(Request.of("a"))).isInstanceOf(Response.Reply.class);
  }

  @Test
  void aVariableThatWinsOverItsFileIsNotFollowed() throws Exception {
    file("other");
    Map<String, String> environment =
        FileVariables.resolved(
            Map.of(
                "OPENAI_API_KEY",
                "first",
                "OPENAI_API_KEY_FILE",
                directory.resolve("key").toString()));
    Adapter adapter = open(environment);
    assertThat(RotatedCredential.followed(adapter, environment, this::open)).isSameAs(adapter);
  }
}
