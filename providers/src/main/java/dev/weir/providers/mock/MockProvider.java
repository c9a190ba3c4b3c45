package dev.weir.providers.mock;

import dev.weir.model.Adapter;
import dev.weir.model.ConfigurationException;
import dev.weir.model.ModelName;
import dev.weir.model.cache.FileShape;
import dev.weir.model.spi.Provider;
import dev.weir.model.spi.Surroundings;
import dev.weir.providers.http.Arguments;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The provider {@code mock}: models that say what they were told to.
 *
 * <pre>
 *   mock/echo                     what the user said last, or a tool gave back
 *   mock/any                      a fixed sentence
 *   mock/any -M text=Paris        this text
 *   mock/any -M replies=FILE      what the file says, see {@link MockScript}
 *            -M exhausted=cycle   when all replies are used: from the first again; or fail, which is
 *                                 what happens otherwise
 *            -M latency=200ms     how long each takes; nothing otherwise
 *   mock/any:text=Paris           arguments may follow a colon; those of -M win
 * </pre>
 */
public final class MockProvider implements Provider {

  private static final String FIXED = "This is a mock answer.";

  private static final List<String> ARGUMENTS = List.of("text", "replies", "exhausted", "latency");

  @Override
  public Set<String> names() {
    return Set.of("mock");
  }

  @Override
  public String help(String name) {
    return "scripted replies: mock/echo, mock/any -M text=Paris, mock/any -M replies=FILE";
  }

  @Override
  public boolean isLimited(ModelName name, Map<String, String> given) {
    return replies(name, arguments(name, given)).hasErrors();
  }

  @Override
  public void check(ModelName name, Map<String, String> given) {
    Arguments arguments = arguments(name, given);
    var _ = latency(arguments);
    var _ = replies(name, arguments);
  }

  @Override
  public Adapter open(ModelName name, Map<String, String> given, Surroundings surroundings) {
    Arguments arguments = arguments(name, given);
    String shape =
        arguments.text("replies").map(file -> FileShape.of(List.of(Path.of(file)))).orElse("");
    return new MockModel(
        name, replies(name, arguments), shape, latency(arguments), surroundings.time());
  }

  private static Arguments arguments(ModelName name, Map<String, String> given) {
    // What follows a colon may also be a version, as in mock/llama3:8b.
    boolean hasOwn = name.model().indexOf('=') > name.plain().length();
    Map<String, String> all = new LinkedHashMap<>(hasOwn ? name.argumentsInName() : Map.of());
    all.putAll(given);
    return Arguments.of(name, all, ARGUMENTS);
  }

  private static Duration latency(Arguments arguments) {
    return arguments.duration("latency").orElse(Duration.ZERO);
  }

  private static Replies replies(ModelName name, Arguments arguments) {
    Optional<String> file = arguments.text("replies");
    Optional<String> text = arguments.text("text");
    Optional<String> exhausted = arguments.choice("exhausted", List.of("fail", "cycle"));
    if (file.isPresent() && text.isPresent()) {
      throw new ConfigurationException(
          "model '%s': `text` and `replies` exclude each other; give one".formatted(name));
    }
    if (file.isEmpty() && exhausted.isPresent()) {
      throw new ConfigurationException(
          "model '%s': `exhausted` says what comes after the last of `replies`; give those, too"
              .formatted(name));
    }
    if (file.isPresent()) {
      return MockScript.read(Path.of(file.get()), exhausted.orElse("fail").equals("cycle"));
    }
    if (text.isPresent()) {
      return _ -> ScriptedReply.text(text.get());
    }
    return name.plain().equals("echo")
        ? request -> ScriptedReply.text(Replies.lastText(request))
        : _ -> ScriptedReply.text(FIXED);
  }
}
