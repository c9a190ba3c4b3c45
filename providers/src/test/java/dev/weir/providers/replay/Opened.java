package dev.weir.providers.replay;

import dev.weir.limits.header.ResponseFacts;
import dev.weir.model.Chunk;
import dev.weir.model.ExchangeListener;
import dev.weir.model.ModelName;
import dev.weir.model.Response;
import dev.weir.model.spi.HttpAdapter;
import dev.weir.model.spi.Providers;
import dev.weir.model.spi.Surroundings;
import dev.weir.time.Time;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Models as a run opens them: found by name, with variables and arguments. */
public final class Opened {

  private Opened() {}

  public static HttpAdapter model(
      String name, Map<String, String> arguments, Map<String, String> environment, URI baseUrl) {
    return model(
        name, arguments, new Surroundings(Time.system(), 7, environment, Optional.of(baseUrl)));
  }

  public static HttpAdapter model(
      String name, Map<String, String> arguments, Surroundings surroundings) {
    ModelName parsed = ModelName.parse(name);
    return (HttpAdapter) Providers.find(parsed).open(parsed, arguments, surroundings);
  }

  /** What a model makes of a status with these headers and this body. */
  public static Response.Failure classified(
      HttpAdapter model, int status, Map<String, String> headers, String body) {
    Map<String, List<String>> lists = new java.util.TreeMap<>();
    headers.forEach((name, value) -> lists.put(name, List.of(value)));
    return model.classify(status, "", lists, body.getBytes(StandardCharsets.UTF_8)).orElseThrow();
  }

  /** Remembers the pieces of an answer. */
  public static final class Pieces implements ExchangeListener {

    private final List<Chunk> chunks = new ArrayList<>();
    private final List<ResponseFacts> facts = new ArrayList<>();

    public List<Chunk> chunks() {
      return chunks;
    }

    public List<ResponseFacts> facts() {
      return facts;
    }

    @Override
    public void facts(ResponseFacts told) {
      facts.add(told);
    }

    @Override
    public boolean wantsChunks() {
      return true;
    }

    @Override
    public void chunk(Chunk chunk) {
      chunks.add(chunk);
    }
  }
}
